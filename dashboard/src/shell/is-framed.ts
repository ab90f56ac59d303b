import { createContext } from "react";

/** Whether what is shown stands in the frame of a workspace, which has the page's one `main` already. */
export const IsFramed = createContext(false);
