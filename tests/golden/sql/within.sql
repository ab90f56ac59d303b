SELECT "places"."city" AS value, "places"."region" AS within1, "places"."country" AS within2, clicks
FROM (
SELECT min(used."place") AS "place", sum(used.clicks)::BIGINT AS clicks
FROM (
SELECT "place", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY "place"
) AS used
JOIN (SELECT "number", hash("places"."city", "places"."region", "places"."country") AS "first", hash('.' || "places"."city", '.' || "places"."region", '.' || "places"."country") AS "second" FROM "places") AS placeTexts ON placeTexts."number" = used."place"
GROUP BY placeTexts."first", placeTexts."second"
) AS counted
JOIN "places" ON "places"."number" = counted."place"
ORDER BY clicks DESC, value, within1, within2
LIMIT 5000
