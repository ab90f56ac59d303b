SELECT facts."time", facts."link", facts."url", facts."place", facts."agent", facts."referrer", facts."language", facts."bot", facts."trigger", facts."visitor", facts."idLow", "idHigh"
FROM facts JOIN (SELECT "number", ('0x' || "idHigh")::UBIGINT AS "idHigh" FROM "origins") AS high
  ON high."number" = facts."origin"
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
ORDER BY facts."time" DESC, "idHigh" DESC, facts."idLow" DESC
LIMIT 50 OFFSET 100
