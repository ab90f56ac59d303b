SELECT ((facts."time" - 1795132800000) // 337500)::UTINYINT AS "bucket", count(*) AS "clicks"
FROM facts
WHERE facts."workspaceId" = 7
  AND facts."time" >= 1795132800000
  AND facts."time" < 1795219200000
  AND facts."bot" = 0
GROUP BY "bucket"
ORDER BY "bucket"
