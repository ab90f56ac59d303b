import { type ComponentType, useEffect, useEffectEvent, useState } from "react";
import { useTexts } from "../texts/texts.tsx";
import { useNotify } from "./toasts.tsx";

/**
 * A component whose script is loaded once `isWanted` is true; undefined until then. When the script does not load, a
 * message says so and `onFailed` is called; the page stays as it is. Browsers retry a failed script only in a new page.
 */
export function useLazyComponent<Props>(
  load: () => Promise<ComponentType<Props>>,
  isWanted: boolean,
  onFailed: () => void,
): ComponentType<Props> | undefined {
  const { words } = useTexts();
  const notify = useNotify();
  const [Loaded, setLoaded] = useState<ComponentType<Props>>();
  const start = useEffectEvent(load);
  const fail = useEffectEvent(() => {
    onFailed();
    notify({ kind: "failed", text: words.notLoaded });
  });
  const isMissing = isWanted && Loaded === undefined;
  useEffect(() => {
    if (!isMissing) return;
    let isUnmounted = false;
    start().then(
      (component) => isUnmounted || setLoaded(() => component),
      () => isUnmounted || fail(),
    );
    return () => {
      isUnmounted = true;
    };
  }, [isMissing]);
  return Loaded;
}
