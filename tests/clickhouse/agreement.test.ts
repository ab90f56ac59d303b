import { testAgreement } from "../support/agreement/agreement.ts";
import { openClickHouse } from "./clickhouse.ts";
import { openTestedStore } from "./tested-clickhouse.ts";

testAgreement(async () => {
  const clickHouse = await openClickHouse();
  const { store, remove } = await openTestedStore(clickHouse);
  return {
    store,
    async remove() {
      await remove();
      await clickHouse.stop();
    },
  };
});
