SELECT label AS value, sum(counted.clicks)::BIGINT AS clicks
FROM (
SELECT "link", count(*) AS clicks
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY "link"
) AS counted
JOIN "links" ON "links"."number" = counted."link"
JOIN (SELECT unnest(from_json($1, '["VARCHAR"]')) AS named, unnest(from_json($2, '["VARCHAR"]')) AS label) ON "links"."linkId" = named
GROUP BY value
ORDER BY clicks DESC, value
LIMIT 5000
-- $1 = "[\"link_a\",\"link_b\"]"
-- $2 = "[\"fold_a\",\"fold_a\"]"
