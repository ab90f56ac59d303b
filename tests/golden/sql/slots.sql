SELECT value, sum(clicks)::BIGINT AS clicks
FROM (
SELECT "slot" // $1::BIGINT AS value, "clicks" AS clicks
FROM slots AS facts
WHERE "workspaceId" = $2 AND "slot" >= $3 AND "slot" < $4
  AND facts."bot" = 0
UNION ALL
SELECT "time" // $5::BIGINT, 1
FROM fresh AS facts
WHERE facts."workspaceId" = $6
  AND facts."time" >= $7
  AND facts."time" < $8
  AND facts."bot" = 0
)
GROUP BY value
HAVING sum(clicks) > 0
ORDER BY value
-- $1 = 1
-- $2 = 7
-- $3 = 1994592
-- $4 = 1994688
-- $5 = 900000
-- $6 = 7
-- $7 = 1795132800000
-- $8 = 1795219200000
