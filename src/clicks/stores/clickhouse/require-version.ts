/** The oldest version whose answers are all correct: [year, number]. docs/clickhouse.md says what older ones lack. */
const oldest = [26, 5] as const;
/** The beginning of ClickHouse's message about a setting that it does not know; the client cannot parse that of old versions. */
const unknownSetting = /^(Code: 115\b|Unknown setting|Setting .* is neither a builtin)/;

/** Throws for a version of ClickHouse that is too old. `readVersion` asks the server. */
export async function requireVersion(readVersion: () => Promise<string>): Promise<void> {
  const version = await readVersion().catch((error: unknown) => {
    // Much older ones do not know the settings of every statement.
    if (error instanceof Error && unknownSetting.test(error.message)) return "";
    throw error;
  });
  const [year = 0, number = 0] = version.split(".").map(Number);
  if (year > oldest[0] || (year === oldest[0] && number >= oldest[1])) return;
  throw new Error(`This ClickHouse${version && ` ${version}`} is too old: Waypost needs ${oldest.join(".")} or later.`);
}
