SELECT min(value) AS value, sum(clicks)::BIGINT AS clicks FROM (
SELECT "time" // 900000 * 900000 AS value, coalesce(sum(facts."clicks"), 0)::BIGINT AS clicks
FROM (
SELECT "slot" * 900000::BIGINT AS "time", "clicks" FROM slots AS facts
WHERE facts."workspaceId" = $1
  AND "slot" >= $2
  AND "slot" < $3
UNION ALL
SELECT "time", 1 FROM fresh AS facts
WHERE facts."workspaceId" = $4
  AND facts."time" >= $5
  AND facts."time" < $6
) AS facts
GROUP BY value
HAVING clicks > 0
ORDER BY value
)
HAVING count(*) > 0
-- $1 = 7
-- $2 = 0
-- $3 = 1994688
-- $4 = 7
-- $5 = 0
-- $6 = 1795219200000
