CREATE TEMP TABLE groups AS
SELECT dense_rank() OVER (ORDER BY placeTexts."first", placeTexts."second") AS "group", used.*
FROM (SELECT DISTINCT "place" FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0) AS used
JOIN (SELECT "number", hash("places"."city", "places"."region", "places"."country") AS "first", hash('.' || "places"."city", '.' || "places"."region", '.' || "places"."country") AS "second" FROM "places") AS placeTexts ON placeTexts."number" = used."place"

CREATE TEMP TABLE tallies ("group" BIGINT, "clicks" BIGINT, "visitors" BIGINT)

INSERT INTO temp.tallies
SELECT groups."group", count(*) AS "clicks", count(DISTINCT nullif("visitor", 0)) AS "visitors"
FROM facts JOIN temp.groups AS groups ON groups."place" = facts."place"
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND "visitor" % 2::UBIGINT = 0
GROUP BY groups."group"

INSERT INTO temp.tallies
SELECT groups."group", count(*) AS "clicks", count(DISTINCT nullif("visitor", 0)) AS "visitors"
FROM facts JOIN temp.groups AS groups ON groups."place" = facts."place"
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND "visitor" % 2::UBIGINT = 1
GROUP BY groups."group"

SELECT "places"."city" AS value, "places"."region" AS within1, "places"."country" AS within2, clicks, visitors
FROM (
SELECT named."place", clicks, visitors
FROM (
SELECT "group", coalesce(sum("clicks"), 0)::BIGINT AS clicks, coalesce(sum("visitors"), 0)::BIGINT AS visitors
FROM temp.tallies
GROUP BY "group"
) AS counted
JOIN (SELECT "group", min(groups."place") AS "place" FROM temp.groups AS groups GROUP BY "group") AS named
  ON named."group" = counted."group"
) AS counted
JOIN "places" ON "places"."number" = counted."place"
ORDER BY visitors DESC, clicks DESC, value, within1, within2
LIMIT 5000
