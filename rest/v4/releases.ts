import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const LIST = '/projects/:id/releases';
const ONE = `${LIST}/:tag_name`;
const LINKS = `${ONE}/assets/links`;
const LINK = `${LINKS}/:link_id`;

/** Those of pages that not everybody may open. */
const PAGES = [
  '_links.edit_url',
  '_links.opened_issues_url',
  '_links.closed_issues_url',
  '_links.opened_merge_requests_url',
  '_links.closed_merge_requests_url',
  '_links.merged_merge_requests_url',
] as const;

/** Of all releases: who may see the code sees more of them. */
const common = { slashes: ['tag_name'], jobToken: true } as const;
const record = {
  ...common,
  omitNull: ['author', 'commit', 'milestones', 'commit_path', 'tag_path', 'assets.sources', ...PAGES],
  omitEmpty: ['milestones', 'assets.sources'],
  constants: { evidences: [] },
} as const satisfies Partial<Route>;
const reads = { auth: 'optional', notFound: { Release: '404 Not Found', ReleaseLink: '404 Not Found' } } as const;

/** The right to change a release is asked of the release, so without one there is none. */
const forbidden = { status: 403, message: '403 Forbidden' } as const;
const needed = { missing: { Release: forbidden, Tag: forbidden } } as const;

/** The address of the latest release in place of `permalink/latest` in the one that was asked for. */
const latest: Route['redirect'] = (tag, { path, query }) => {
  const at = path.lastIndexOf('/permalink/latest');
  const kept = query.split('&').filter((pair) => pair !== '' && !/^order_by(=|$)/.test(pair));
  const below = path.slice(at + '/permalink/latest'.length);
  return `${path.slice(0, at)}/${encodeURIComponent(tag)}${below}${kept.length > 0 ? `?${kept.join('&')}` : ''}`;
};

const permalink: Route = {
  method: 'GET',
  path: `${LIST}/permalink/latest`,
  operation: operations.LatestReleasePermalinkDocument,
  result: 'project.latestRelease.tagName',
  auth: 'optional',
  precheck: 'read_repository',
  jobToken: true,
  status: 302,
  redirect: latest,
  description: 'Redirects to the release that was released last, none of the future.',
};

export const releases: Route[] = [
  {
    method: 'GET',
    path: LIST,
    operation: operations.ProjectReleasesDocument,
    result: 'project.releases',
    precheck: 'read_release',
    ...record,
    ...reads,
  },
  permalink,
  {
    ...permalink,
    path: `${LIST}/permalink/latest/:suffix`,
    slashes: ['suffix'],
    description: 'Redirects to what is below the release that was released last, such as `downloads/…`.',
  },
  {
    method: 'GET',
    path: ONE,
    operation: operations.ProjectReleaseDocument,
    result: 'project.release',
    precheck: 'read_repository',
    ...record,
    ...reads,
  },
  {
    method: 'POST',
    path: LIST,
    operation: operations.CreateProjectReleaseDocument,
    result: 'createRelease.release',
    precheck: 'push_code',
    ...record,
    names: { tag: 'tag_name' },
    exclusive: [['milestones', 'milestone_ids']],
    failure: { BAD_REQUEST: 422 },
    missing: { Tag: { status: 422, message: 'Ref is not specified' } },
    alsoRefuses: [400],
  },
  {
    method: 'PUT',
    path: ONE,
    operation: operations.UpdateProjectReleaseDocument,
    names: { tag: 'tag_name' },
    result: 'updateRelease.release',
    precheck: 'push_code',
    ...record,
    ...needed,
    atLeastOne: ['name', 'description', 'milestones', 'milestone_ids', 'released_at'],
    exclusive: [['milestones', 'milestone_ids']],
  },
  {
    method: 'DELETE',
    path: ONE,
    operation: operations.DeleteProjectReleaseDocument,
    names: { tag: 'tag_name' },
    result: 'deleteRelease.release',
    precheck: 'push_code',
    ...record,
    ...needed,
  },
  {
    method: 'GET',
    path: `${ONE}/downloads/:direct_asset_path`,
    operation: operations.ReleaseDownloadDocument,
    result: 'project.release.link.url',
    precheck: 'read_repository',
    ...common,
    ...reads,
    slashes: ['tag_name', 'direct_asset_path'],
    status: 302,
    redirect: (url) => url,
    description: 'Redirects to the address of the link with this path.',
  },
  {
    method: 'GET',
    path: LINKS,
    operation: operations.ReleaseLinksDocument,
    result: 'project.releaseLinks',
    precheck: 'read_release',
    ...common,
    ...reads,
  },
  {
    method: 'POST',
    path: LINKS,
    ...mutation('CreateReleaseLink', 'createReleaseLink.link', '...ReleaseLinkRecord'),
    names: { tag: 'tag_name' },
    precheck: 'push_code',
    ...common,
    notFound: { ...reads.notFound, Tag: '404 Not Found' },
  },
  {
    method: 'GET',
    path: LINK,
    operation: operations.ReleaseLinkDocument,
    result: 'project.releaseLink',
    precheck: 'read_release',
    ...common,
    ...reads,
  },
  {
    method: 'PUT',
    path: LINK,
    ...mutation('UpdateReleaseLink', 'updateReleaseLink.link', '...ReleaseLinkRecord'),
    names: { tag: 'tag_name' },
    precheck: 'push_code',
    ...common,
    notFound: { ...reads.notFound, Tag: '404 Not Found' },
    atLeastOne: ['name', 'url', 'direct_asset_path', 'filepath', 'link_type'],
  },
  {
    method: 'DELETE',
    path: LINK,
    ...mutation('DeleteReleaseLink', 'deleteReleaseLink.link', '...ReleaseLinkRecord'),
    names: { tag: 'tag_name' },
    precheck: 'push_code',
    ...common,
    notFound: { ...reads.notFound, Tag: '404 Not Found' },
  },
];
