import { lazyRouteComponent } from "@tanstack/react-router";

/** The script of a page did not come: the server is away, or has another version by now. */
export class ScriptMissing extends Error {
  override readonly name = "ScriptMissing";
}

/**
 * A page whose script is loaded when it is opened. Its failure is an error of its own: what the router takes for a missing
 * module it answers by loading the address again, which shows the browser's error page while the server is away.
 */
export function lazyPage<Name extends string, Pages extends Record<Name, () => React.ReactNode>>(
  load: () => Promise<Pages>,
  name: Name,
) {
  const loadScript = async () => {
    try {
      return await load();
    } catch (cause) {
      // In words of its own: the router knows the browsers' by how they begin.
      throw new ScriptMissing(`The script of ${name} did not come: ${String(cause)}`, { cause });
    }
  };
  return lazyRouteComponent(loadScript, name);
}
