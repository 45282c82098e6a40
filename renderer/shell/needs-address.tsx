/** Shown to a tab without a page secret: what it is missing, and how to get it. */
export function NeedsAddress() {
  return (
    <main className="gate" id="main">
      <h1>This tab needs a fresh address</h1>
      <p>
        Trinity Desktop runs on this computer and lets in only pages that were opened with its
        one-time address. This tab has none, and no other open tab could vouch for it.
      </p>
      <p>
        Run <code>npm start</code> again, or <code>trinity url</code>, and open the address it
        prints. Your conversations are all there.
      </p>
      <button type="button" className="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
