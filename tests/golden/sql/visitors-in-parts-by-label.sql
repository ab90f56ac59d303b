CREATE TEMP TABLE groups AS
SELECT dense_rank() OVER (ORDER BY value) AS "group", *
FROM (
SELECT used.*, label AS value
FROM (SELECT DISTINCT "link" FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" IN ($3))) AS used
JOIN "links" ON "links"."number" = used."link"
JOIN (SELECT unnest(from_json($1, '["VARCHAR"]')) AS named, unnest(from_json($2, '["VARCHAR"]')) AS label) ON "links"."linkId" = named
) AS named
-- $1 = "[\"link_a\"]"
-- $2 = "[\"tag_a\"]"
-- $3 = "DE"

CREATE TEMP TABLE tallies ("group" BIGINT, "clicks" BIGINT, "visitors" BIGINT)

INSERT INTO temp.tallies
SELECT groups."group", count(*) AS "clicks", count(DISTINCT nullif("visitor", 0)) AS "visitors"
FROM facts JOIN temp.groups AS groups ON groups."link" = facts."link"
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" IN ($1))
  AND "visitor" % 2::UBIGINT = 0
GROUP BY groups."group"
-- $1 = "DE"

INSERT INTO temp.tallies
SELECT groups."group", count(*) AS "clicks", count(DISTINCT nullif("visitor", 0)) AS "visitors"
FROM facts JOIN temp.groups AS groups ON groups."link" = facts."link"
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
  AND facts."place" IN (SELECT "number" FROM "places" WHERE "places"."country" IN ($1))
  AND "visitor" % 2::UBIGINT = 1
GROUP BY groups."group"
-- $1 = "DE"

SELECT DISTINCT value, counted.clicks, counted.visitors
FROM (
SELECT "group", coalesce(sum("clicks"), 0)::BIGINT AS clicks, coalesce(sum("visitors"), 0)::BIGINT AS visitors
FROM temp.tallies
GROUP BY "group"
ORDER BY visitors DESC, clicks DESC, "group"
LIMIT 5000
) AS counted
JOIN temp.groups AS groups ON groups."group" = counted."group"
ORDER BY visitors DESC, clicks DESC, value
