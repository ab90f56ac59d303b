CREATE TABLE IF NOT EXISTS clicks (
  workspaceId UInt32,
  time DateTime64(3, 'UTC') CODEC(T64, LZ4),
  id UUID,
  batch UInt64 CODEC(Delta, ZSTD(1)),
  visitor UInt64,
  linkId String,
  domainId LowCardinality(String),
  domain LowCardinality(String),
  key String,
  url String CODEC(LZ4),
  country LowCardinality(String),
  region LowCardinality(String),
  city LowCardinality(String),
  continent LowCardinality(String),
  device LowCardinality(String),
  browser LowCardinality(String),
  os LowCardinality(String),
  referer LowCardinality(String),
  refererUrl LowCardinality(String),
  language LowCardinality(String),
  trigger LowCardinality(String),
  bot LowCardinality(String),
  utm_source LowCardinality(String),
  utm_medium LowCardinality(String),
  utm_campaign LowCardinality(String),
  utm_term LowCardinality(String),
  utm_content LowCardinality(String),
  refererGroup LowCardinality(String),
  channel LowCardinality(String),
  INDEX batch batch TYPE minmax
) ENGINE = MergeTree()
PARTITION BY toYYYYMM(time)
ORDER BY (workspaceId, linkId, time)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 2048;

CREATE TABLE IF NOT EXISTS expired_clicks (
  workspaceId UInt32,
  time DateTime64(3, 'UTC') CODEC(T64, LZ4),
  linkId String,
  domainId LowCardinality(String),
  domain LowCardinality(String),
  key String,
  isBot Bool,
  clicks UInt64,
  generation UInt64
) ENGINE = ReplacingMergeTree()
ORDER BY (workspaceId, linkId, time, domainId, domain, key, isBot, generation)
SETTINGS non_replicated_deduplication_window = 100000;

CREATE TABLE IF NOT EXISTS expiries (
  workspaceId UInt32,
  version UInt64,
  generation UInt64,
  planned Array(Tuple(before Int64, upTo UInt64)),
  hidden Array(Tuple(before Int64, upTo UInt64, since Int64))
) ENGINE = ReplacingMergeTree(version)
ORDER BY workspaceId
SETTINGS non_replicated_deduplication_window = 100000;

CREATE TABLE IF NOT EXISTS about (
  version UInt32,
  storeId String,
  referrerTable String,
  createdAt DateTime64(3, 'UTC')
) ENGINE = MergeTree()
ORDER BY createdAt
SETTINGS non_replicated_deduplication_window = 100000;

ALTER TABLE clicks MODIFY SETTING materialize_projections_on_insert = 0, materialize_projections_on_merge = 1, lightweight_mutation_projection_mode = 'drop';

ALTER TABLE clicks
  ADD PROJECTION IF NOT EXISTS hours (SELECT workspaceId, toStartOfHour(time), bot, count() GROUP BY workspaceId, toStartOfHour(time), bot),
  ADD PROJECTION IF NOT EXISTS places (SELECT workspaceId, toStartOfMonth(time), continent, country, region, city, bot, count() GROUP BY workspaceId, toStartOfMonth(time), continent, country, region, city, bot),
  ADD PROJECTION IF NOT EXISTS agents (SELECT workspaceId, toStartOfMonth(time), device, browser, os, trigger, language, bot, count() GROUP BY workspaceId, toStartOfMonth(time), device, browser, os, trigger, language, bot),
  ADD PROJECTION IF NOT EXISTS referrers (SELECT workspaceId, toStartOfMonth(time), channel, refererGroup, referer, refererUrl, bot, count() GROUP BY workspaceId, toStartOfMonth(time), channel, refererGroup, referer, refererUrl, bot),
  ADD PROJECTION IF NOT EXISTS links (SELECT workspaceId, toStartOfMonth(time), linkId, domainId, domain, bot, count() GROUP BY workspaceId, toStartOfMonth(time), linkId, domainId, domain, bot),
  ADD PROJECTION IF NOT EXISTS urls (SELECT workspaceId, toStartOfMonth(time), url, utm_source, utm_medium, utm_campaign, utm_term, utm_content, bot, count() GROUP BY workspaceId, toStartOfMonth(time), url, utm_source, utm_medium, utm_campaign, utm_term, utm_content, bot);
