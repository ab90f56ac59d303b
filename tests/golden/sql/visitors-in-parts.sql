CREATE TEMP TABLE tallies ("group" BIGINT, "clicks" BIGINT, "visitors" BIGINT)

INSERT INTO temp.tallies
SELECT "time" // 900000::BIGINT AS "group", count(*) AS "clicks", count(DISTINCT nullif("visitor", 0)) AS "visitors"
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND "visitor" % 2::UBIGINT = 0
GROUP BY "group"

INSERT INTO temp.tallies
SELECT "time" // 900000::BIGINT AS "group", count(*) AS "clicks", count(DISTINCT nullif("visitor", 0)) AS "visitors"
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND "visitor" % 2::UBIGINT = 1
GROUP BY "group"

SELECT "group" AS value, coalesce(sum("clicks"), 0)::BIGINT AS clicks, coalesce(sum("visitors"), 0)::BIGINT AS visitors
FROM temp.tallies
GROUP BY value
ORDER BY value
