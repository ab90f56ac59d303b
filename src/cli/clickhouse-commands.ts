import type { Command } from "commander";

/** Adds the commands of `clickhouse`. */
export function addClickHouseCommands(program: Command): void {
  const clickHouse = program.command("clickhouse").description("Prepare ClickHouse for clicks.");
  clickHouse
    .command("schema")
    .description("Print the statements that create the tables, for a user of ClickHouse who may not create them.")
    .option("--cluster <name>", "the cluster whose servers hold the tables (default: WAYPOST_CLICKS_CLUSTER)")
    .action(async ({ cluster }: { cluster?: string }) => {
      const { readConfig } = await import("../config.ts");
      const { createTables } = await import("../clicks/stores/clickhouse/schema.ts");
      const { addProjections } = await import("../clicks/stores/clickhouse/projections.ts");
      const named = cluster ?? readConfig().WAYPOST_CLICKS_CLUSTER;
      const topology = { cluster: named === "" ? undefined : named };
      const statements = [...createTables(topology), ...addProjections(topology)];
      process.stdout.write(statements.map((sql) => `${sql};\n`).join("\n"));
    });
}
