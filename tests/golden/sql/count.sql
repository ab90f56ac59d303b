SELECT 0 AS value, coalesce(sum(facts."clicks"), 0)::BIGINT AS clicks
FROM (
SELECT "slot" * 900000::BIGINT AS "time", "clicks" FROM slots AS facts
WHERE facts."workspaceId" = $1
  AND "slot" >= $2
  AND "slot" < $3
  AND facts."bot" = 0
UNION ALL
SELECT "time", 1 FROM fresh AS facts
WHERE facts."workspaceId" = $4
  AND facts."time" >= $5
  AND facts."time" < $6
  AND facts."bot" = 0
) AS facts
-- $1 = 7
-- $2 = 1994592
-- $3 = 1994688
-- $4 = 7
-- $5 = 1795132800000
-- $6 = 1795219200000
