/**
 * The version of the store's tables that this program writes, and the highest that it opens. In a separate file, so that
 * the main process reads it without loading the engine, which takes 18 MB and a tenth of a second.
 */
export const storeSchemaVersion = 3;
