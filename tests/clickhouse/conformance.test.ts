import { afterAll, beforeAll } from "bun:test";
import { describeClickStore } from "../support/store-conformance/conformance.ts";
import { openClickHouse, type TestClickHouse } from "./clickhouse.ts";
import { openTestedStore } from "./tested-clickhouse.ts";

let clickHouse: TestClickHouse;
beforeAll(async () => {
  clickHouse = await openClickHouse();
});
afterAll(() => clickHouse.stop());

describeClickStore("ClickHouse", () => openTestedStore(clickHouse), { keepsRollup: false });
