/** What has pages below a project or group: the word of it in addresses. */
type Resource =
  | 'commit'
  | 'issues'
  | 'jobs'
  | 'merge_requests'
  | 'milestones'
  | 'pipelines'
  | 'releases'
  | 'snippets'
  | 'wikis';

/**
 * The path of the page of something in a project: `/group/project/-/issues/1`. All page addresses that the server hands out are made
 * here; `pages/engine/earlier_address.ts` redirects the earlier form without `/-`.
 *
 * @param place full path of the project, or `groups/` and that of the group
 * @param note ID of a comment on it, to which the address leads
 */
export function pagePath(place: string, resource: Resource, name: number | string, note?: number | null): string {
  return `/${place}/-/${resource}/${name}${note == null ? '' : `#note_${note}`}`;
}

/**
 * The path of a comment for people: browsers without scripts get to it, too, where it is on a later page of the discussion. Programs get
 * that of `pagePath`, which they know.
 */
export function notePath(place: string, resource: Resource, name: number | string, note: number): string {
  return `${pagePath(place, resource, name)}?note=${note}#note_${note}`;
}

/** The path of the list of the issues of a project with a label. */
export function labelledIssuesPath(place: string, title: string): string {
  return `/${place}/-/issues?labels=${encodeURIComponent(title)}`;
}

/** The path of a snippet, which belongs to a project or, without one, to its author alone. */
export function snippetPath(place: string | null, id: number): string {
  return place === null ? `/-/snippets/${id}` : pagePath(place, 'snippets', id);
}

/** The name of a branch or tag as part of an address, in which its slashes stay. */
export function refInPath(ref: string): string {
  return ref.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

/** The path of the page of a release, and of what is below it. */
export function releasePath(place: string, tag: string, below = ''): string {
  return `${pagePath(place, 'releases', refInPath(tag))}${below}`;
}

/** The path of the archive of a branch or tag of a project. */
export function archivePath(place: string, ref: string, format: string): string {
  const name = `${place.split('/').at(-1)}-${ref.toWellFormed().replaceAll('/', '-')}`;
  return `/${place}/-/archive/${refInPath(ref)}/${encodeURIComponent(name)}.${format}`;
}

/** The path of the page of files at a branch, or of a tag: `/group/project/-/tree/feature/one`. */
export function refPath(place: string, page: 'tree' | 'tags', ref: string): string {
  return `/${place}/-/${page}/${ref.toWellFormed().split('/').map(encodeURIComponent).join('/')}`;
}

/** The path of the page that compares two commits; `straight` with the first itself, not where the second one left it. */
export function comparePath(place: string, from: string, to: string, straight = false): string {
  return `/${place}/-/compare/${from}...${to}${straight ? '?straight=true' : ''}`;
}
