SELECT *
FROM clicks
WHERE rowid IN (
  SELECT rowid
  FROM clicks
  WHERE "workspaceId" = $1
  AND "time" >= $2
  AND "time" < $3
  AND "bot" = ''
  ORDER BY "time" DESC, "id" DESC
  LIMIT $4 OFFSET $5
)
ORDER BY "time" DESC, "id" DESC
-- $1 = 7
-- $2 = 1795132800000
-- $3 = 1795219200000
-- $4 = 50
-- $5 = 100
