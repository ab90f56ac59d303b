/** The path of the pages' font, which is a file of the dashboard. */
export const fontPath = "/app/inter.woff2";

const lightColors = `--canvas:#f6f7f9;--surface:#fff;--line:#e2e5ea;--field:#858e9c;--ink:#141a23;--muted:#4d5765;
--accent:#1d4ed8;--on-accent:#fff;--danger:#b3261e;--danger-soft:#fcebea`;
const darkColors = `--canvas:#0c1015;--surface:#141a21;--line:#28313c;--field:#748192;--ink:#eceff4;--muted:#b1bbc8;
--accent:#82aaff;--on-accent:#0a1222;--danger:#ff9d93;--danger-soft:#3a1a18`;

/** The system's theme, unless the page sets a chosen one. */
const colors = `:root{color-scheme:light dark;${lightColors}}
@media (prefers-color-scheme:dark){:root{${darkColors}}}
:root[data-theme="light"]{color-scheme:light;${lightColors}}
:root[data-theme="dark"]{color-scheme:dark;${darkColors}}`;

/**
 * The style of every page made by `htmlPage`, in the dashboard's colors (dashboard/src/style.css) and with its contrasts.
 * The server renders these pages, so that people can sign in while the dashboard is not built.
 */
export const signInStyle = `@font-face{font-family:"Inter Variable";font-weight:100 900;font-display:swap;
src:url("${fontPath}") format("woff2")}
${colors}
*{box-sizing:border-box}
body{font:.875rem/1.45 "Inter Variable",system-ui,sans-serif;margin:0;min-height:100vh;min-height:100dvh;padding:1rem;
display:grid;align-content:center;justify-items:center;background:var(--canvas);color:var(--ink);overflow-wrap:anywhere;
-webkit-font-smoothing:antialiased}
header{display:flex;align-items:center;gap:.5rem;margin-bottom:1.5rem;font-size:.9375rem;font-weight:600;letter-spacing:-.02em}
header img{width:1.5rem;height:1.5rem}
main{width:100%;max-width:24rem;padding:1.75rem;background:var(--surface);border:1px solid var(--line);border-radius:1rem;
box-shadow:0 1px 2px rgb(0 0 0/.06)}
h1{font-size:1.125rem;line-height:1.4;font-weight:600;letter-spacing:-.02em;margin:0;text-wrap:balance}
p{margin:.25rem 0 0;color:var(--muted);text-wrap:pretty}
strong{color:var(--ink);font-weight:600}
a{color:var(--accent)}
.aside code{display:block;margin-top:.375rem;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.5rem;
background:var(--canvas);color:var(--ink);font:.8125rem/1.5 ui-monospace,monospace}
.choice{grid-template-columns:auto 1fr;align-items:center}
.choice input{width:auto;min-height:auto}
.aside{margin-top:1.25rem;padding-top:1.25rem;border-top:1px solid var(--line)}
form{margin-top:1.25rem;display:grid;gap:1rem}
label{display:grid;gap:.375rem;font-weight:500}
small{margin-top:-.625rem;font-size:.8125rem;color:var(--muted)}
input,button,.button{font:inherit;font-weight:400;width:100%;min-height:2.25rem;padding:.375rem .75rem;border-radius:.5rem;
border:1px solid var(--field)}
input{background:var(--surface);color:var(--ink)}
::placeholder{color:var(--muted);opacity:1}
[aria-invalid]{border-color:var(--danger)}
button,.button{border-color:transparent;background:var(--accent);color:var(--on-accent);font-weight:500;cursor:pointer}
.button{display:block;margin-top:1.25rem;text-align:center;text-decoration:none}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.note{margin-top:1rem;padding:.625rem .75rem;border:1px solid var(--danger);border-radius:.5rem;background:var(--danger-soft);
color:var(--danger)}`;
