SELECT label AS value, count(*) AS clicks
FROM clicks JOIN (SELECT unnest(from_json($4, '["VARCHAR"]')) AS named, unnest(from_json($5, '["VARCHAR"]')) AS label) ON "linkId" = named
WHERE "workspaceId" = $1
  AND "time" >= $2
  AND "time" < $3
  AND "bot" = ''
GROUP BY value
ORDER BY clicks DESC, value
LIMIT $6
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = "[\"link_a\",\"link_b\"]"
-- $5 = "[\"fold_a\",\"fold_a\"]"
-- $6 = 5000
