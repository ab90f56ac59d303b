SELECT min(value) AS value, sum(clicks)::BIGINT AS clicks FROM (
SELECT "time" // 900000 * 900000 AS value, coalesce(sum(facts."clicks"), 0)::BIGINT AS clicks
FROM (
SELECT "slot" * 900000::BIGINT AS "time", "clicks" FROM slots AS facts
WHERE facts."workspaceId" = 7
  AND "slot" >= 0
  AND "slot" < 1994688
UNION ALL
SELECT "time", 1 FROM fresh AS facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 0
  AND facts."time" < 1795219200000
) AS facts
GROUP BY value
HAVING clicks > 0
ORDER BY value
)
HAVING count(*) > 0
