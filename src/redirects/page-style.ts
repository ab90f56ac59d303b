/**
 * The style of the pages for visitors: a centered card, in the system's light or dark theme.
 *
 * Most logos are drawn for a white background, so they get one in the dark theme too.
 * Contrast in both themes: text at least 7 to 1, borders of fields at least 3 to 1 (WCAG 2.2 AA requires 4.5 and 3).
 */
const colors = `:root{color-scheme:light dark;--ground:#f3f5f8;--card:#fff;--line:#dfe3ea;--text:#17202e;--soft:#48525f;
--field:#6b7686;--accent:#1746b8;--on-accent:#fff;--error:#9c1d12}
@media (prefers-color-scheme:dark){:root{--ground:#0e1319;--card:#171e27;--line:#2a3440;--text:#edf1f6;--soft:#b4bfcc;
--field:#8593a4;--accent:#a5c4ff;--on-accent:#0c1524;--error:#ffb9ad}}`;

/** The style of every page made by `layout`. */
export const cardStyle = `${colors}
*{box-sizing:border-box}
body{font:1rem/1.5 system-ui,sans-serif;margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;
padding:1rem;background:var(--ground);color:var(--text)}
main{width:100%;max-width:26rem;padding:2.25rem 2rem;text-align:center;background:var(--card);border:1px solid var(--line);
border-radius:1rem;overflow-wrap:anywhere}
.logo{display:block;max-width:10rem;max-height:4rem;margin:0 auto 1.5rem;border-radius:.5rem}
@media (prefers-color-scheme:dark){.logo{padding:.5rem;background:#fff}}
h1{font-size:1.375rem;line-height:1.3;margin:0 0 .5rem;text-wrap:balance}
p{margin:0;color:var(--soft);text-wrap:pretty}
p+p,h1~.more{margin-top:1rem}
a{color:var(--accent)}
form{margin-top:1.5rem;display:grid;gap:.5rem;text-align:left}
label{display:grid;gap:.25rem;font-weight:600}
input,button{font:inherit;width:100%;min-height:2.75rem;padding:.5rem .75rem;border-radius:.5rem;border:1px solid var(--field)}
input{background:var(--card);color:var(--text)}
input[aria-invalid]{border-color:var(--error)}
::placeholder{color:var(--soft);opacity:1}
button{margin-top:.5rem;border-color:transparent;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.note{color:var(--error);font-weight:600}`;

/** The style of a framed page: the frame fills the window, with a small link in its corner. */
export const frameStyle = `${colors}
html,body,main{margin:0;height:100%;overflow:hidden;background:var(--card)}
iframe{display:block;width:100%;height:100%;border:0}
h1{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}
a{position:fixed;left:0;bottom:0;padding:.375rem .625rem;font:.75rem/1.2 system-ui,sans-serif;color:var(--text);
background:var(--card);border:1px solid var(--field);border-width:1px 1px 0 0;border-radius:0 .5rem 0 0;text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible{outline:3px solid var(--accent);outline-offset:-3px}`;
