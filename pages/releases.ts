import { text } from '#pages/engine/fields.ts';
import { path } from '#pages/engine/helpers.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import {
  EditReleasePageDocument,
  LatestReleasePageDocument,
  NewReleasePageDocument,
  ReleaseDownloadPageDocument,
  ReleaseListPageDocument,
  ReleasePageDocument,
  SendNewReleaseDocument,
  SendReleaseChangeDocument,
  SendReleaseDeletionDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const LIST = '/:project/-/releases';

const newRelease = page({
  path: `${LIST}/new`,
  operation: NewReleasePageDocument,
  view: 'releases/new',
  found: ({ project }) => (project?.viewerCanPush && project.repository ? project : null),
  title: (project, { t }) => `${t('New release')} · ${project.fullPath}`,
  show: (project, { given }) => ({
    ...{ project, tab: 'releases' },
    tags: project.repository?.tags.nodes.filter(({ release }) => release === null),
    // As links of today's tools have it.
    before: { tag: text(given.tag_name ?? given.tag), ref: project.defaultBranch ?? '', name: '', description: '' },
  }),
  signIn: true,
});

/** A page about what is done with one release, for those who may. */
const about = (name: 'edit' | 'delete', title: string) =>
  page({
    path: `${LIST}/*tag/${name}`,
    operation: EditReleasePageDocument,
    view: `releases/${name}`,
    found: ({ project }) => (project?.viewerCanPush && project.release ? { project, release: project.release } : null),
    title: ({ project, release }, { t }) => `${t(title, { name: release.name })} · ${project.fullPath}`,
    show: ({ project, release }) => ({ project, release, before: release, tab: 'releases' }),
    signIn: true,
  });

const editRelease = about('edit', label('Edit release {name}'));
const deleteRelease = about('delete', label('Delete release {name}'));

const list = ({ given }: Facts) => path(String(given.project), '-', 'releases');
const toRelease = (tag: string | undefined, facts: Facts) =>
  tag === undefined ? list(facts) : `${list(facts)}${path(tag)}`;

/** Where the permanent addresses of the latest release lead, and of what is below it: links elsewhere have no number. */
const permalinks = ['permalink/latest', 'permalink/latest/*suffix'].map((place) =>
  page({
    path: `${LIST}/${place}`,
    operation: LatestReleasePageDocument,
    view: 'error',
    found: ({ project }) =>
      project?.repository && project.latestRelease ? { project, tag: project.latestRelease.tagName } : null,
    title: ({ project }) => project.fullPath,
    show: () => ({}),
    redirectTo: ({ project, tag }, { given }) => {
      const below = given.suffix === undefined ? [] : [String(given.suffix)];
      return path(project.fullPath, '-', 'releases', tag, ...below);
    },
    takesTokens: true,
  }),
);

export const releases = [
  ...permalinks,
  page({
    path: LIST,
    operation: ReleaseListPageDocument,
    view: 'releases/list',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Releases')} · ${project.fullPath}`,
    show: (project) => ({ project, releases: project.releases, tab: 'releases' }),
    feed: (project) => `${path(project.fullPath, '-', 'releases')}.atom`,
    pageSize: 10,
  }),
  newRelease,
  form({
    path: LIST,
    operation: SendNewReleaseDocument,
    required: ['description'],
    says: label('The release was created.'),
    goTo: ({ createRelease }, facts) => toRelease(createRelease?.release.tagName, facts),
    again: newRelease,
  }),
  editRelease,
  form({
    path: editRelease.path,
    operation: SendReleaseChangeDocument,
    required: ['description'],
    says: label('The release was saved.'),
    goTo: ({ updateRelease }, facts) => toRelease(updateRelease?.release.tagName, facts),
    again: editRelease,
  }),
  deleteRelease,
  form({
    path: deleteRelease.path,
    operation: SendReleaseDeletionDocument,
    says: label('The release was deleted.'),
    goTo: (_data, facts) => list(facts),
    asks: deleteRelease,
  }),
  page({
    path: `${LIST}/*tag/downloads/*file`,
    operation: ReleaseDownloadPageDocument,
    view: 'error',
    // Who may not read the repository does not get there, though the link is on the page of the release.
    found: ({ project }) =>
      project?.repository?.tag && project.release?.link ? { project, ...project.release.link } : null,
    title: ({ project }) => project.fullPath,
    show: () => ({}),
    redirectTo: ({ url }) => url,
    takesTokens: true,
  }),
  page({
    path: `${LIST}/*tag`,
    operation: ReleasePageDocument,
    view: 'releases/show',
    found: ({ project }) =>
      project?.repository?.tag && project.release
        ? { project, release: project.release, tag: project.repository.tag }
        : null,
    title: ({ project, release }, { t }) => `${release.name} · ${t('Releases')} · ${project.fullPath}`,
    show: ({ project, release, tag }) => ({ project, release, tag, tab: 'releases' }),
  }),
];
