/** Shown when the page itself has failed. Nothing is lost: runs and texts are in the program. */
export function BrokenPage() {
  return (
    <main className="gate" role="alert">
      <h1>This window has failed</h1>
      <p>
        Something on this page could not be drawn. Your conversations are safe in the program, and a
        run that is going on goes on.
      </p>
      <button type="button" className="button button--primary" onClick={() => location.reload()}>
        Load the window again
      </button>
    </main>
  );
}
