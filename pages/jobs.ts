import { ACTIVE, ciFrame } from '#pages/ci.ts';
import { named } from '#pages/engine/asking.ts';
import { path as pathTo } from '#pages/engine/helpers.ts';
import { liveAt } from '#pages/engine/live.ts';
import { type Facts, form, page, raw } from '#pages/engine/row.ts';
import { logHtml } from '#pages/job_log.ts';
import { inPlace } from '#pages/place.ts';
import {
  ArtifactFilePageDocument,
  ArtifactFolderPageDocument,
  CancelJobOnPageDocument,
  DeleteArtifactsPageDocument,
  EraseJobOnPageDocument,
  JobListPageDocument,
  JobLogLiveDocument,
  JobPageDocument,
  LatestArtifactPlaceDocument,
  LatestRawArtifactFileDocument,
  LatestRawArtifactsDocument,
  PlayJobOnPageDocument,
  RawArtifactFileDocument,
  type RawArtifactFileQuery,
  RawArtifactsDocument,
  RawJobLogDocument,
  RetryJobOnPageDocument,
  SendArtifactsDeletionDocument,
  SendArtifactsKeepDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Lines of one part of a log. */
const LINES = 1_000;

const job = page({
  path: '/:project/-/jobs/:id',
  operation: JobPageDocument,
  view: 'pipelines/job',
  // A text to search for is only asked for where there is one.
  variables: (given) => ({ ...given, isSearch: given.search ? 'true' : 'false', search: given.search || '-' }),
  found: ({ project }) => project?.job && { project, job: project.job },
  title: (found) => `${found.job.name} (#${found.job.databaseId}) · ${found.project.fullPath}`,
  show: ({ project, job: one }, { given }) => {
    const lines = one.traceLines;
    const shown = lines?.content.match(/\n|[^\n]$/g)?.length ?? 0;
    const last = (lines?.firstLine ?? 1) + shown - 1;
    const isEnd = given.from === undefined;
    return {
      ...ciFrame(project, 'jobs'),
      job: one,
      log: lines ? logHtml(lines) : null,
      lines: lines && { ...lines, last, before: Math.max(1, lines.firstLine - LINES), isEnd },
      isActive: ACTIVE.includes(one.status),
      live: ACTIVE.includes(one.status) && isEnd ? liveAt(JobLogLiveDocument, { job: one.id }) : null,
    };
  },
});

const back = (_data: unknown, { given }: Facts) => inPlace(given, 'jobs', String(given.id));

/** The file that an operation found in the artifacts of a job, as its reader takes it. */
function artifactIn(found: RawArtifactJob | null | undefined) {
  const file = found?.artifactFile;
  return file && { projectId: file.projectId, databaseId: file.jobId, path: file.path, size: Number(file.size) };
}

type RawArtifactJob = NonNullable<NonNullable<RawArtifactFileQuery['project']>['job']>;

const artifactsAt = '/:project/-/jobs/:id/artifacts';

/** The folders around a file or folder of artifacts, each with its path; its own name comes last. */
function crumbsOf(path: string) {
  const parts = path === '' ? [] : path.split('/');
  return parts.map((name, at) => ({ name, path: parts.slice(0, at + 1).join('/') }));
}

/** Entries of a folder on one page. */
const ENTRIES = 200;

const folders = [`${artifactsAt}/browse`, `${artifactsAt}/browse/*path`].map((path) =>
  page({
    path,
    operation: ArtifactFolderPageDocument,
    view: 'pipelines/artifacts',
    found: ({ project }) => {
      const folder = project?.job?.artifactFolder;
      return project?.job && folder ? { project, job: project.job, folder } : null;
    },
    title: ({ project, job: one }, { t }) =>
      `${t('Artifacts of {name} (#{id})', { name: one.name, id: one.databaseId })} · ${project.fullPath}`,
    show: ({ project, job: one, folder }, { given, t }) => {
      const start = /^\d{1,6}$/.test(String(given.offset)) ? Number(given.offset) : 0;
      return {
        ...ciFrame(project, 'jobs'),
        job: one,
        folder,
        crumbs: crumbsOf(folder.path),
        summary: t('{count, plural, one {# entry} other {# entries}}', { count: folder.entryCount }),
        start,
        size: ENTRIES,
      };
    },
  }),
);

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico)$/i;

/** Bytes of the largest picture that is shown within the page. */
const MAX_PICTURE_BYTES = 10 * 1024 * 1024;

const deletion = page({
  path: `${artifactsAt}/delete`,
  operation: DeleteArtifactsPageDocument,
  view: 'pipelines/delete_artifacts',
  found: ({ project }) => (project?.job?.viewerCanDeleteArtifacts ? { project, job: project.job } : null),
  title: ({ project, job: one }, { t }) =>
    `${t('Delete artifacts of {name}', { name: one.name })} · ${project.fullPath}`,
  show: ({ project, job: one }) => ({ ...ciFrame(project, 'jobs'), job: one }),
  signIn: true,
});

/** A ref that is a single name comes first: of several, the longest beginning is taken. */
const OF_REF = [':ref', '*ref'].map((ref) => `/:project/-/jobs/artifacts/${ref}`);

/**
 * The artifacts of the latest job with a name (`?job=`) of a branch or tag. Files are sent as they are, so that programs
 * need no second request; pages are those of the job.
 */
const latestArtifacts = OF_REF.flatMap((at) => [
  raw({
    path: `${at}/download`,
    operation: LatestRawArtifactsDocument,
    content: 'artifacts',
    found: ({ project }) => project?.latestSuccessfulJob,
  }),
  raw({
    path: `${at}/raw/*path`,
    operation: LatestRawArtifactFileDocument,
    content: 'page_artifact',
    found: ({ project }) => artifactIn(project?.latestSuccessfulJob),
  }),
  ...[`${at}/browse`, `${at}/browse/*path`, `${at}/file/*path`].map((path) =>
    page({
      path,
      operation: LatestArtifactPlaceDocument,
      view: 'error',
      found: ({ project }) => project?.latestSuccessfulJob && { project, job: project.latestSuccessfulJob },
      title: ({ project }) => project.fullPath,
      show: () => ({}),
      redirectTo: ({ project, job: { databaseId } }, { given }) => {
        const place = path.includes('/file/') ? 'file' : 'browse';
        const inside = given.path === undefined ? [] : String(given.path).split('/');
        return pathTo(project.fullPath, '-', 'jobs', String(databaseId), 'artifacts', place, ...inside);
      },
      takesTokens: true,
    }),
  ),
]);

/** Jobs, with their logs and artifacts. */
export const jobs = [
  page({
    path: '/:project/-/jobs',
    operation: JobListPageDocument,
    view: 'pipelines/jobs',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Jobs')} · ${project.fullPath}`,
    show: (project, { given }) => ({
      ...ciFrame(project, 'jobs'),
      jobs: project.jobs,
      scope: [given.scope ?? []].flat()[0] ?? 'all',
    }),
  }),
  job,
  form({
    path: '/:project/-/jobs/:id/play',
    operation: PlayJobOnPageDocument,
    says: label('The job was started.'),
    goTo: back,
    again: job,
  }),
  form({
    path: '/:project/-/jobs/:id/retry',
    operation: RetryJobOnPageDocument,
    says: label('The job runs again.'),
    goTo: ({ retryJob }, { given }) => `/${given.project}/-/jobs/${retryJob?.job.databaseId}`,
    again: job,
  }),
  form({
    path: '/:project/-/jobs/:id/cancel',
    operation: CancelJobOnPageDocument,
    says: label('The job was canceled.'),
    goTo: back,
    again: job,
  }),
  form({
    path: '/:project/-/jobs/:id/erase',
    operation: EraseJobOnPageDocument,
    says: label('The log and the artifacts of the job were erased.'),
    asks: (facts) => ({
      heading: facts.t('Erase job {name}?', { name: named(facts.given) }),
      says: [
        facts.t('Its log, its artifacts and its reports are deleted. The job stays in the list, with its state.'),
        facts.t('This cannot be undone.'),
      ],
      button: facts.t('Erase job'),
      back: back(null, facts),
    }),
    goTo: back,
    again: job,
  }),
  raw({
    path: '/:project/-/jobs/:id/raw',
    operation: RawJobLogDocument,
    content: 'trace',
    found: ({ project }) => project?.job,
  }),
  ...latestArtifacts,
  ...folders,
  page({
    path: `${artifactsAt}/file/*path`,
    operation: ArtifactFilePageDocument,
    view: 'pipelines/artifact',
    found: ({ project }) => {
      const file = project?.job?.artifactFile;
      return project?.job && file ? { project, job: project.job, file } : null;
    },
    title: ({ project, file }) => `${file.path} · ${project.fullPath}`,
    show: ({ project, job: one, file }) => ({
      ...ciFrame(project, 'jobs'),
      job: one,
      file,
      crumbs: crumbsOf(file.path),
      isPicture: PICTURE.test(file.path) && Number(file.size) <= MAX_PICTURE_BYTES,
    }),
  }),
  raw({
    path: `${artifactsAt}/raw/*path`,
    operation: RawArtifactFileDocument,
    content: 'page_artifact',
    found: ({ project }) => artifactIn(project?.job),
  }),
  raw({
    path: `${artifactsAt}/download`,
    operation: RawArtifactsDocument,
    content: 'artifacts',
    found: ({ project }) => project?.job,
  }),
  form({
    path: `${artifactsAt}/keep`,
    operation: SendArtifactsKeepDocument,
    says: label('The artifacts are kept.'),
    goTo: back,
    again: job,
  }),
  deletion,
  form({
    path: `${artifactsAt}/delete`,
    operation: SendArtifactsDeletionDocument,
    says: label('The artifacts were deleted.'),
    goTo: back,
    asks: deletion,
  }),
];
