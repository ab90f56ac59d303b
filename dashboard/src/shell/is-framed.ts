import { createContext } from "react";

/** True inside the frame of a workspace, which already contains the page's `main` element. */
export const IsFramed = createContext(false);
