import type { WikiPageChanged } from '#src/domain/changes/change.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';
import { type Payload, projectRecord, type Surroundings, userRecord } from '#src/domain/webhooks/payload/common.ts';
import type { ProjectFacts, UserFacts } from '#src/domain/webhooks/payload/facts.ts';

interface WikiPageFacts {
  page: WikiPageChanged['page'];
  project: ProjectFacts;
  user: UserFacts;
}

/** The payload for a page of a wiki that was created, changed or deleted. */
export function wikiPagePayload({ page, project, user }: WikiPageFacts, around: Surroundings): Payload {
  const record = projectRecord(project, around);
  const { title, content, format, message, slug, action, commit } = page;
  const pageOf = (name: string) =>
    around.baseUrl + pagePath(project.fullPath, 'wikis', name.split('/').map(encodeURIComponent).join('/'));
  return {
    object_kind: 'wiki_page',
    user: userRecord(user, around),
    project: record,
    wiki: {
      web_url: pageOf('home'),
      git_ssh_url: wikiAddress(record.git_ssh_url),
      git_http_url: wikiAddress(record.git_http_url),
      path_with_namespace: `${project.fullPath}.wiki`,
      default_branch: project.defaultBranch ?? 'master',
    },
    object_attributes: { title, content, format, message, slug, url: pageOf(slug), action, version_id: commit },
  };
}

function wikiAddress(address: string): string {
  return address.replace(/\.git$/, '.wiki.git');
}
