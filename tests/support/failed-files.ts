/**
 * The failed files of a run, from its report in JUnit's format: those with a failure, and those that the report lacks
 * because they could not be loaded.
 */
export function failedFiles(report: string, files: readonly string[]): string[] {
  const failures = new Map<string, number>();
  for (const [, file = "", count] of report.matchAll(/<testsuite [^>]*?file="([^"]+)"[^>]*? failures="(\d+)"/g)) {
    failures.set(file, Math.max(failures.get(file) ?? 0, Number(count)));
  }
  return files.filter((path) => failures.get(path.replace(/^\.\//, "")) !== 0);
}
