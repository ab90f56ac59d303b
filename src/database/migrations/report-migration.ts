/** Receives the progress of a migration that may take minutes, for the log. */
export type ReportMigration = (message: string, progress: { done: number; of: number }) => void;
