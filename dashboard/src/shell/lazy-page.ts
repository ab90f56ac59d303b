import { lazyRouteComponent } from "@tanstack/react-router";

/** The script of a page did not load: the server is unreachable, or has a newer version. */
export class ScriptMissing extends Error {
  override readonly name = "ScriptMissing";
}

/**
 * A page whose script is loaded when it is opened. A failure throws ScriptMissing, which hides the browser's error from
 * the router: the router reloads the page for a missing module, and while the server is unreachable, the person would then
 * see the browser's error page.
 */
export function lazyPage<Name extends string, Pages extends Record<Name, () => React.ReactNode>>(
  load: () => Promise<Pages>,
  name: Name,
) {
  const loadScript = async () => {
    try {
      return await load();
    } catch (cause) {
      // The message must not begin like a browser's, by which the router recognizes missing modules.
      throw new ScriptMissing(`The script of ${name} did not load: ${String(cause)}`, { cause });
    }
  };
  return lazyRouteComponent(loadScript, name);
}
