SELECT "places"."city" AS value, "places"."region" AS within1, "places"."country" AS within2, sum(counted.clicks)::BIGINT AS clicks
FROM (
SELECT "place", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY "place"
) AS counted
JOIN "places" ON "places"."number" = counted."place"
GROUP BY value, within1, within2
ORDER BY clicks DESC, value, within1, within2
LIMIT 5000
