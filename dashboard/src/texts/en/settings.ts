/** The settings of a workspace and of the person. */
export const settings = {
  workspaceName: "Name of the workspace",
};
