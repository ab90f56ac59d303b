CREATE TEMP TABLE groups ("group" BIGINT, "place" INTEGER, "value" VARCHAR, "within1" VARCHAR, "within2" VARCHAR)

INSERT INTO temp.groups
SELECT dense_rank() OVER (ORDER BY value, within1, within2), "place", value, within1, within2
FROM (
SELECT used."place", "places"."city" AS value, "places"."region" AS within1, "places"."country" AS within2
FROM (SELECT DISTINCT "place" FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0) AS used
JOIN "places" ON "places"."number" = used."place"
) AS named

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

SELECT DISTINCT value, within1, within2, counted.clicks, counted.visitors
FROM (
SELECT "group", coalesce(sum("clicks"), 0)::BIGINT AS clicks, coalesce(sum("visitors"), 0)::BIGINT AS visitors
FROM temp.tallies
GROUP BY "group"
ORDER BY visitors DESC, clicks DESC, "group"
LIMIT 5000
) AS counted
JOIN temp.groups AS groups ON groups."group" = counted."group"
ORDER BY visitors DESC, clicks DESC, value, within1, within2
