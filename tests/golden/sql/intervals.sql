SELECT "time" // 900000::BIGINT AS value, coalesce(sum(facts."clicks"), 0)::BIGINT AS clicks
FROM (
SELECT "slot" * 900000::BIGINT AS "time", "clicks" FROM slots AS facts
WHERE facts."workspaceId" = 7
  AND "slot" >= 1994592
  AND "slot" < 1994688
  AND facts."bot" = 0
UNION ALL
SELECT "time", 1 FROM fresh AS facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
) AS facts
GROUP BY value
HAVING clicks > 0
ORDER BY value
