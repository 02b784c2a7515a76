import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { secondsBetween } from '#schema/pipelines/seconds.ts';
import { JobStatus } from '#schema/pipelines/types.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { requireProjectBase } from '#schema/projects/project_of.ts';
import { viaRelation } from '#schema/records/plugin.ts';
import { refusalOf } from '#src/access/permissions/actor.ts';
import '#schema/runners/types.ts';
import '#schema/users/types.ts';
import { type ArtifactsOptions, mayReadArtifacts } from '#src/domain/ci/artifacts/read.ts';
import {
  type ArtifactFile as FoundArtifactFile,
  type ArtifactFolder as FoundArtifactFolder,
  findArtifactFile,
  listArtifactFolder,
  readArtifactText,
} from '#src/domain/ci/artifacts/single_file.ts';
import type { ZipChild } from '#src/domain/ci/artifacts/zip.ts';
import { mayReadLog } from '#src/domain/ci/job_logs/debug.ts';
import { type LogLines, type LogMatch, readLogLines, searchLog } from '#src/domain/ci/job_logs/lines.ts';
import { BRIDGE_FAILURES, FAILURE_REASONS } from '#src/domain/ci/jobs/failure_reason.ts';
import { pagePath } from '#src/domain/namespaces/address.ts';

interface ArtifactsRow {
  projectId: number;
  jobId: number;
  filename: string;
  size: number;
  expireAt: Date | null;
}

const JobArtifacts = builder.objectRef<ArtifactsRow>('JobArtifacts').implement({
  description: 'A zip archive of the files that a job produced.',
  fields: (t) => ({
    filename: t.exposeString('filename', { description: 'File name of the archive.' }),
    size: t.expose('size', { type: 'Long', description: 'Size of the archive, in bytes.' }),
    expireAt: t.expose('expireAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the archive will be removed; null if it is kept.',
    }),
    downloadUrl: t.string({
      description: 'URL to download the archive, with the credentials that the REST API takes.',
      resolve: ({ projectId, jobId }, _args, { baseUrl }) =>
        `${baseUrl}/api/v4/projects/${projectId}/jobs/${jobId}/artifacts`,
    }),
  }),
});

interface JobFileRow {
  type: string;
  format: string;
  filename: string;
  size: number;
}

const JobFile = builder.objectRef<JobFileRow>('JobFile').implement({
  description: 'A file that the server keeps of a job: the archive of its artifacts, its log, or a report.',
  fields: (t) => ({
    type: t.exposeString('type', {
      description: 'Kind of the file: `archive`, `trace`, or the name of a report, such as `junit`.',
    }),
    format: t.exposeString('format', { description: 'How the file is packed: `zip`, `gzip` or `raw`.' }),
    filename: t.exposeString('filename', { description: 'File name that the file was uploaded under.' }),
    size: t.expose('size', { type: 'Long', description: 'Size of the file, in bytes.' }),
  }),
});

export const ArtifactFile = builder.objectRef<FoundArtifactFile>('ArtifactFile').implement({
  description: 'One file within the archive of a job’s artifacts.',
  fields: (t) => ({
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project that the job belongs to.' }),
    jobId: t.exposeInt('databaseId', { description: 'Numeric ID of the job that made the file.' }),
    path: t.exposeString('path', { description: 'Where the file is in the archive.' }),
    size: t.expose('size', { type: 'Long', description: 'Size of the unpacked file, in bytes.' }),
    downloadUrl: t.string({
      description: 'URL to download the file, with the credentials that the REST API takes.',
      resolve: ({ projectId, databaseId, path }, _args, { baseUrl }) =>
        `${baseUrl}/api/v4/projects/${projectId}/jobs/${databaseId}/artifacts/${path.split('/').map(encodeURIComponent).join('/')}`,
    }),
    text: t.string({
      nullable: true,
      description: 'Content of the file as text; null above 512 KiB, and for files that are not text in UTF-8.',
      resolve: (file, _args, context) => readArtifactText(context, file),
    }),
  }),
});

const ArtifactEntry = builder.objectRef<ZipChild & { path: string }>('ArtifactEntry').implement({
  description: 'A file or folder in the archive of a job’s artifacts.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the file or folder, without the folders that it is in.' }),
    path: t.exposeString('path', { description: 'Where the file or folder is in the archive.' }),
    folder: t.exposeBoolean('isFolder', { description: 'Whether it is a folder.' }),
    size: t.expose('size', {
      type: 'Long',
      description: 'Size of the unpacked file, in bytes; of a folder that of all files in it.',
    }),
  }),
});

const ArtifactFolder = builder.objectRef<FoundArtifactFolder>('ArtifactFolder').implement({
  description: 'A folder in the archive of a job’s artifacts.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path of the folder in the archive; empty for the top.' }),
    entryCount: t.exposeInt('count', { description: 'How many files and folders are directly in the folder.' }),
    entries: t.field({
      type: [ArtifactEntry],
      description: 'What is directly in the folder, folders first, by name; at most 200 entries.',
      resolve: ({ path, entries }) =>
        entries.map((entry) => ({ ...entry, path: path === '' ? entry.name : `${path}/${entry.name}` })),
    }),
  }),
});

const JobLogLines = builder.objectRef<LogLines>('JobLogLines').implement({
  description: 'Consecutive lines of the log of a job.',
  fields: (t) => ({
    firstLine: t.exposeInt('firstLine', { description: 'Number of the first line, from 1.' }),
    lineCount: t.exposeInt('lineCount', { description: 'How many lines the whole log has so far.' }),
    content: t.exposeString('content', {
      description: 'The lines as text, with their line breaks; the end of a line of more than 128 KiB is missing.',
    }),
  }),
});

const JobLogMatch = builder.objectRef<LogMatch>('JobLogMatch').implement({
  description: 'A line of the log of a job in which a text was found.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'Number of the line in the log, from 1.' }),
    text: t.exposeString('text', {
      description: 'The line around the text, at most 300 characters, without colours.',
    }),
  }),
});

const JobWhen = builder.enumType('JobWhen', {
  description: 'When a job of a pipeline runs.',
  values: {
    ON_SUCCESS: { value: 'on_success', description: 'After all jobs of earlier stages have succeeded.' },
    ON_FAILURE: { value: 'on_failure', description: 'After a job of an earlier stage has failed.' },
    ALWAYS: { value: 'always', description: 'After the jobs of earlier stages, whatever their result.' },
    DELAYED: { value: 'delayed', description: 'Some time after all jobs of earlier stages have succeeded.' },
    MANUAL: { value: 'manual', description: 'Only when started manually by a user.' },
  } as const,
});

const JobFailureReason = builder.enumType('JobFailureReason', {
  description: 'Why a job failed.',
  values: {
    UNKNOWN: { value: 'unknown_failure', description: 'For a reason that the server does not know.' },
    SCRIPT: { value: 'script_failure', description: 'A command of its script failed.' },
    RUNNER_SYSTEM: { value: 'runner_system_failure', description: 'The runner, or preparing the job for it, failed.' },
    TIMEOUT: { value: 'job_execution_timeout', description: 'The job ran longer than it can.' },
    STUCK: { value: 'stuck_or_timeout_failure', description: 'Its runner gave no sign of life for an hour.' },
    DOWNSTREAM_PROJECT_NOT_FOUND: {
      value: 'downstream_bridge_project_not_found',
      description: 'There is no project for the pipeline that it starts, or its user cannot see it.',
    },
    INSUFFICIENT_DOWNSTREAM_PERMISSIONS: {
      value: 'insufficient_bridge_permissions',
      description: 'Its user cannot start pipelines in that project.',
    },
    DOWNSTREAM_PIPELINE_CREATION_FAILED: {
      value: 'downstream_pipeline_creation_failed',
      description: 'The pipeline that it starts has an invalid file, no jobs, or no such branch.',
    },
    PIPELINE_LOOP: { value: 'pipeline_loop_detected', description: 'The pipeline that it starts led to its own.' },
    CHILD_PIPELINES_TOO_DEEP: {
      value: 'reached_max_descendant_pipelines_depth',
      description: 'Child pipelines start each other on more than two levels.',
    },
    TOO_MANY_PIPELINES: {
      value: 'reached_max_pipeline_hierarchy_size',
      description: 'One pipeline led to too many others.',
    },
    RUNNER_CONFIGURATION: { value: 'runner_configuration_error', description: 'The runner is set up wrongly.' },
    RUNNER_DEPENDENCY: {
      value: 'runner_external_dependency_failure',
      description: 'Something that the runner depends on failed.',
    },
    RUNNER_INTERRUPTED: { value: 'runner_interrupted', description: 'The runner was stopped while the job ran.' },
    IMAGE_PULL: { value: 'image_pull_failure', description: 'The image of the job could not be fetched.' },
    MISSING_DEPENDENCY: {
      value: 'missing_dependency_failure',
      description: 'Artifacts that the job depends on are missing.',
    },
    DATA_INTEGRITY: { value: 'data_integrity_failure', description: 'What the server has of the job is damaged.' },
    UNMET_PREREQUISITES: { value: 'unmet_prerequisites', description: 'What the job needs was not there.' },
    RUNNER_UNSUPPORTED: { value: 'runner_unsupported', description: 'The runner cannot do what the job needs.' },
  } as const,
});

const LOG = { id: true, projectId: true, traceFile: { select: { debug: true } } } as const;

export const Job = builder.prismaObject('Job', {
  description: 'A job of a pipeline, defined in `.gitlab-ci.yml`.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the job, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('Job', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the job, as the REST API uses it.' }),
    projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project; see also `project`.' }),
    project: t.field(ownProject),
    webUrl: t.string({
      description: 'URL of the page of the job, with its log.',
      select: { id: true, projectFullPath: true },
      resolve: ({ id, projectFullPath }, _args, { baseUrl }) => baseUrl + pagePath(projectFullPath, 'jobs', id),
    }),
    duration: t.float({
      nullable: true,
      description: 'Seconds that the job ran, or has been running; null before it starts.',
      select: { startedAt: true, finishedAt: true },
      resolve: ({ startedAt, finishedAt }) =>
        startedAt === null ? null : secondsBetween(startedAt, finishedAt ?? new Date()),
    }),
    queuedDuration: t.float({
      nullable: true,
      description: 'Seconds that the job waited for a runner; null before one starts it.',
      select: { queuedAt: true, startedAt: true },
      resolve: ({ queuedAt, startedAt }) => (queuedAt && startedAt ? secondsBetween(queuedAt, startedAt) : null),
    }),
    needs: t.stringList({
      description:
        'Names of the jobs that it waits for, whatever their stages; empty for all of earlier stages, or none.',
      select: { needs: true },
      resolve: ({ needs }) => needs ?? [],
    }),
    interruptible: t.exposeBoolean('interruptible', {
      description: 'Whether a newer pipeline of its ref can cancel the job.',
    }),
    resourceGroup: t.exposeString('resourceGroup', {
      nullable: true,
      description: 'Name of the resource group, whose jobs run one at a time; null without one.',
    }),
    scheduledAt: t.expose('scheduledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a delayed job begins; null if it is not waiting for that.',
    }),
    exitCode: t.exposeInt('exitCode', {
      nullable: true,
      description: 'Exit code of the script of a job that failed; null if its runner did not say.',
    }),
    name: t.exposeString('name', { description: 'Name of the job in `.gitlab-ci.yml`.' }),
    stage: t.exposeString('stage', { description: 'Name of the job’s stage in the pipeline.' }),
    status: t.expose('status', { type: JobStatus, description: 'Current state of the job.' }),
    ref: t.string({ description: 'Name of the branch or tag, without `refs/`.', ...viaRelation('pipeline', 'ref') }),
    tag: t.boolean({ description: 'Whether the ref is a tag.', ...viaRelation('pipeline', 'tag') }),
    retried: t.exposeBoolean('retried', { description: 'Whether the job was replaced by a retry.' }),
    allowFailure: t.exposeBoolean('allowFailure', {
      description: 'Whether the pipeline can succeed even if the job fails.',
    }),
    when: t.field({
      type: JobWhen,
      description: 'When the job runs, as defined in `.gitlab-ci.yml`.',
      select: { when: true },
      resolve: ({ when }) => when as 'on_success',
    }),
    coverage: t.exposeFloat('coverage', {
      nullable: true,
      description: 'Test coverage that the job reported, in percent; null without any.',
    }),
    environmentName: t.exposeString('environment', {
      nullable: true,
      description: 'Name of the environment that the job deploys to.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the job was created.' }),
    queuedAt: t.expose('queuedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the job was queued for a runner; null before that.',
    }),
    startedAt: t.expose('startedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a runner started the job; null before that.',
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the job finished; null before that.',
    }),
    erasedAt: t.expose('erasedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the job’s log and artifacts were erased; null if they were not.',
    }),
    user: t.relation('user', { description: 'The user who started the job or the pipeline.' }),
    runnerManager: t.relation('manager', {
      nullable: true,
      description: 'The machine of the runner that runs or ran the job; null if it is not known.',
    }),
    runner: t.relation('runner', {
      nullable: true,
      description: 'The runner that runs or ran the job; null before that, and if it was deleted.',
    }),
    tags: t.stringList({
      description: 'The tags that a runner must have to run the job.',
      select: { tags: true },
      resolve: ({ tags }) => tags ?? [],
    }),
    timeout: t.exposeInt('timeout', {
      nullable: true,
      description: 'How long the job can run, in seconds; null before a runner takes it.',
    }),
    failureReason: t.field({
      type: JobFailureReason,
      nullable: true,
      description: 'Why the job failed; null if it did not, or if nothing is known of it.',
      select: { failureReason: true },
      resolve: ({ failureReason: reason }) =>
        [...FAILURE_REASONS, ...BRIDGE_FAILURES].find((known) => known === reason) ?? null,
    }),
    artifactsFile: t.field({
      type: JobArtifacts,
      nullable: true,
      description:
        'The artifacts of the job; null without any, once they have expired, and for those who may not read them.',
      select: {
        id: true,
        projectId: true,
        artifactsFilename: true,
        artifactsSize: true,
        artifactsOptions: true,
        artifacts: { select: { expireAt: true } },
      },
      resolve: async (job, _args, context) => {
        const { id, projectId, artifactsFilename: filename, artifactsSize: size, artifacts } = job;
        const expireAt = artifacts?.expireAt ? new Date(artifacts.expireAt) : null;
        if (filename === null || isOver(artifacts?.expireAt ?? null)) return null;
        if (!(await readsArtifacts(context, job))) return null;
        return { projectId, jobId: id, filename, size: Number(size ?? 0), expireAt };
      },
    }),
    artifactsExpireAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the artifacts of the job are removed; null if they are kept, there are none, or the caller may not read them.',
      select: { projectId: true, artifactsOptions: true, artifacts: { select: { expireAt: true } } },
      resolve: async (job, _args, context) => {
        const expireAt = job.artifacts?.expireAt ?? null;
        return expireAt !== null && (await readsArtifacts(context, job)) ? expireAt : null;
      },
    }),
    files: t.field({
      type: [JobFile],
      description:
        'The archive of the job’s artifacts, its log and its reports, as far as there are any and the caller may read them.',
      select: {
        projectId: true,
        artifactsOptions: true,
        artifacts: { select: { fileName: true, size: true, expireAt: true } },
        traceFile: { select: { size: true, debug: true } },
        reports: { select: { type: true, format: true, fileName: true, size: true, expireAt: true } },
      },
      resolve: async (job, _args, context) => {
        const { projectId, traceFile } = job;
        const isReadable =
          job.artifacts === null && job.reports.length === 0 ? false : await readsArtifacts(context, job);
        const [artifacts, reports] = isReadable ? [job.artifacts, job.reports] : [null, []];
        const archive = artifacts && { ...artifacts, type: 'archive', format: 'zip' };
        const kept = [archive, ...reports.toSorted((a, b) => (a.type < b.type ? -1 : 1))]
          .flatMap((file) => (file && !isOver(file.expireAt) ? [file] : []))
          .map(({ type, format, fileName, size }) => ({ type, format, filename: fileName, size: Number(size) }));
        const size = Number(traceFile?.size ?? 0);
        const showsLog = size > 0 && (await readsLog(context, { projectId, traceFile }));
        return showsLog ? [...kept, { type: 'trace', format: 'raw', filename: 'job.log', size }] : kept;
      },
    }),
    artifactFile: t.field({
      type: ArtifactFile,
      description: 'A file within the archive of the job’s artifacts.',
      args: {
        path: t.arg.string({ required: true, description: 'Where the file is in the archive, such as `a/b.txt`.' }),
      },
      select: { id: true, projectId: true },
      resolve: ({ id, projectId }, { path }, context) => findArtifactFile(context, { projectId, databaseId: id }, path),
    }),
    artifactFolder: t.field({
      type: ArtifactFolder,
      description: 'A folder within the archive of the job’s artifacts.',
      args: {
        path: t.arg.string({
          required: true,
          description: 'Where the folder is in the archive, such as `a/b`; empty for the top.',
        }),
        offset: t.arg.int({ description: 'How many of its entries to skip; none without.' }),
      },
      select: { id: true, projectId: true },
      resolve: ({ id, projectId }, { path, offset }, context) =>
        listArtifactFolder(context, { projectId, databaseId: id }, { path, offset: Math.max(0, offset ?? 0) }),
    }),
    pipeline: t.relation('pipeline', { description: 'The pipeline that it belongs to.' }),
    commit: t.field({
      type: Commit,
      nullable: true,
      description: 'The commit; null if it no longer exists or the caller cannot read commits.',
      select: { projectId: true, pipeline: { select: { sha: true } } },
      resolve: ({ projectId, pipeline: { sha } }, _args, { loaders }) => loaders.commit.load({ projectId, sha }),
    }),
    traceTail: t.string({
      description: 'The end of the job’s log as text, up to 256 KiB. Empty while there is none.',
      select: LOG,
      resolve: async (job, _args, context) => {
        await requireReadableLog(context, job);
        return context.loaders.traceTail.load(job.id);
      },
    }),
    traceEnd: t.string({
      nullable: true,
      description:
        'The last 20 lines of the job’s log as text, at most 4 KiB. Empty while there are none; null for a log that the caller may not read.',
      select: LOG,
      resolve: async (job, _args, context) => {
        const isReadable = await readsLog(context, job);
        return isReadable ? context.loaders.traceEnd.load(job.id) : null;
      },
    }),
    traceLines: t.field({
      type: JobLogLines,
      description: 'Lines of the job’s log, at most 1,000 and 128 KiB: those from a line on, or the last ones.',
      args: {
        from: t.arg.int({
          required: true,
          description: 'Number of the first line, from 1; -20 for the last 20 lines.',
        }),
      },
      select: LOG,
      resolve: async (job, { from }, context) => {
        await requireReadableLog(context, job);
        return readLogLines(context, job.id, from || 1);
      },
    }),
    traceMatches: t.field({
      type: [JobLogMatch],
      nullable: true,
      description:
        'The first 100 lines of the job’s log in which a text occurs, in any case; null for a log that the caller may not read.',
      args: { text: t.arg.string({ required: true, description: 'The text to look for, such as `error`.' }) },
      select: LOG,
      resolve: async (job, { text }, context) =>
        (await readsLog(context, job)) ? searchLog(context, job.id, text) : null,
    }),
    trace: t.string({
      description: 'The job’s log as text. Fails with CONTENT_TOO_LARGE above 4 MB.',
      select: LOG,
      resolve: async (job, _args, context) => {
        await requireReadableLog(context, job);
        return context.loaders.trace.load(job.id);
      },
    }),
  }),
});

interface LoggedJob {
  projectId: number;
  traceFile: { debug: boolean } | null;
}

/** Throws Forbidden, or Unauthenticated for anonymous callers, for a log that the caller may not read. */
async function requireReadableLog(context: GraphQLContext, job: LoggedJob): Promise<void> {
  if (!(await readsLog(context, job))) throw refusalOf(context.actor);
}

async function readsLog(context: GraphQLContext, { projectId, traceFile }: LoggedJob): Promise<boolean> {
  return mayReadLog(context.actor, await requireProjectBase(context, projectId), traceFile?.debug === true);
}

/** Whether the caller may read the artifacts of a job. */
async function readsArtifacts(
  context: GraphQLContext,
  { projectId, artifactsOptions }: { projectId: number; artifactsOptions: unknown },
): Promise<boolean> {
  const project = await requireProjectBase(context, projectId);
  return mayReadArtifacts(context.actor, project, artifactsOptions as ArtifactsOptions | null);
}

/** Whether a time has come, given as ISO 8601. */
function isOver(time: string | null): boolean {
  return time !== null && Date.parse(time) <= Date.now();
}

export const JobConnection = connectionOf('Job', Job);
