/** What is read without a cap on messages: tokenising more can take longer than anyone waits. */
export const uncappedCharacters = 100_000;
