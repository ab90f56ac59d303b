"""
Calls each method that Waypost serves on a running server with Dub's Python SDK, and prints the results as JSON.
Usage: dub-sdk.py SERVER_URL API_KEY. An error of the SDK ends the script with a traceback.
"""

import json
import sys

from dub import Dub

server_url, api_key = sys.argv[1:]
dub = Dub(token=api_key, server_url=server_url)
url = "https://example.com/python"

domain = dub.domains.create(request={"slug": "python.example.com"})
domains = dub.domains.list(request={"search": "python"})
changed_domain = dub.domains.update(slug=domain.slug, request_body={"placeholder": "https://example.com"})

tag = dub.tags.create(request={"name": "Python", "color": "blue"})
tags = dub.tags.list(request={})
changed_tag = dub.tags.update(id=tag.id, request_body={"name": "Python 3", "color": "red"})

folder = dub.folders.create(request={"name": "Python"})
folders = dub.folders.list(request={})
changed_folder = dub.folders.update(id=folder.id, request_body={"name": "Python 3"})

link = dub.links.create(request={"url": url, "key": "python", "tag_ids": [tag.id], "folder_id": folder.id})
found = dub.links.get(request={"link_id": link.id})
listed = dub.links.list(request={"page_size": 10, "tag_ids": [tag.id]})
count = dub.links.count(request={})
updated = dub.links.update(link_id=link.id, request_body={"title": "A title", "max_clicks": None})
upserted = dub.links.upsert(request={"url": url, "comments": "upserted"})
bulk = dub.links.create_many(request=[{"url": "https://example.com/1"}, {"url": "https://example.com/2"}])
bulk_ids = [made.id for made in bulk]
bulk_changed = dub.links.update_many(request={"link_ids": bulk_ids, "data": {"archived": True}})
bulk_deleted = dub.links.delete_many(request={"link_ids": bulk_ids})

clicks = dub.analytics.retrieve(request={"interval": "24h"})
countries = dub.analytics.retrieve(request={"group_by": "countries", "link_id": link.id})
events = dub.events.list(request={"link_id": link.id})
image = dub.qr_codes.get(request={"url": link.short_link})

deleted_link = dub.links.delete(link_id=link.id)
deleted_folder = dub.folders.delete(id=folder.id)
deleted_tag = dub.tags.delete(id=tag.id)
deleted_domain = dub.domains.delete(slug=domain.slug)

print(
    json.dumps(
        {
            "domains": [each.slug for each in domains.result],
            "placeholder": changed_domain.placeholder,
            "tags": [each.name for each in tags],
            "tag": changed_tag.name,
            "folders": [each.name for each in folders],
            "folder": changed_folder.name,
            "isFound": found.id == link.id,
            "listed": [each.key for each in listed.result],
            "count": count,
            "title": updated.title,
            "comments": upserted.comments,
            "isUpserted": upserted.id == link.id,
            "archived": [each.archived for each in bulk_changed],
            "deletedCount": bulk_deleted.deleted_count,
            "clicks": clicks.clicks,
            "countries": len(countries),
            "events": len(events),
            "hasImage": len(image) > 0,
            "deleted": [
                deleted_link.id == link.id,
                deleted_folder.id == folder.id,
                deleted_tag.id == tag.id,
                deleted_domain.slug == domain.slug,
            ],
        }
    )
)
