import type { ReleaseChanged } from '#src/domain/changes/change.ts';
import { archivePath, releasePath } from '#src/domain/namespaces/address.ts';
import {
  commitRecord,
  type Payload,
  projectRecord,
  type Surroundings,
  time,
} from '#src/domain/webhooks/payload/common.ts';
import type { ProjectFacts, ReleaseColumns, ReleaseLinkFacts } from '#src/domain/webhooks/payload/facts.ts';
import { ARCHIVE_FORMATS } from '#src/git/archive.ts';

interface ReleaseFacts {
  release: ReleaseColumns;
  links: ReleaseLinkFacts[];
  project: ProjectFacts;
  action: ReleaseChanged['action'];
  /** Of the tag: a commit, or the object that annotates it; null if the tag was deleted. */
  sha: string | null;
}

/** The payload for a release that was created, changed or deleted. */
export async function releasePayload(facts: ReleaseFacts, around: Surroundings): Promise<Payload> {
  const { release, links, project, action, sha } = facts;
  const { fullPath } = project;
  const sources = ARCHIVE_FORMATS.map((format) => ({
    format,
    url: around.baseUrl + archivePath(fullPath, release.tag, format),
  }));
  const commit = sha === null ? null : ((await around.reader?.tag(release.tag))?.commit ?? null);
  return {
    object_kind: 'release',
    id: release.id,
    created_at: time(release.created_at),
    description: release.description,
    name: release.name ?? release.tag,
    released_at: time(release.released_at),
    tag: release.tag,
    project: projectRecord(project, around),
    url: around.baseUrl + releasePath(fullPath, release.tag),
    action,
    assets: {
      count: links.length + sources.length,
      links: links.map(({ id, type, name, url }) => ({ id, link_type: type, name, url })),
      sources,
    },
    commit: await commitRecord(commit, project, around),
  };
}
