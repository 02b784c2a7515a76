import { builder } from '#schema/builder.ts';
import type { JobStatus } from '#src/domain/changes/pipeline_status.ts';

interface StatusRow {
  status: JobStatus;
  /** Whether a job failed that may. */
  hasWarnings: boolean;
  /** Of the page. */
  path: string;
}

/** What is shown for a status: the short word, and the phrase. */
const WORDS: Readonly<Record<JobStatus, readonly [text: string, label: string]>> = {
  created: ['Created', 'created'],
  pending: ['Pending', 'pending'],
  running: ['Running', 'running'],
  success: ['Passed', 'passed'],
  failed: ['Failed', 'failed'],
  canceled: ['Canceled', 'canceled'],
  canceling: ['Canceling', 'canceling'],
  skipped: ['Skipped', 'skipped'],
  manual: ['Blocked', 'waiting for manual action'],
  scheduled: ['Delayed', 'waiting for delayed action'],
  waiting_for_resource: ['Waiting', 'waiting for resource'],
};
const WARNING = ['Warning', 'passed with warnings'] as const;

const wordsOf = ({ status, hasWarnings }: StatusRow) => (hasWarnings ? WARNING : WORDS[status]);
const groupOf = ({ status, hasWarnings }: StatusRow) => (hasWarnings ? 'success-with-warnings' : status);

/** The words for a status, as clients of the REST API show them (v4-today, Pipeline). */
export const DetailedStatus = builder.objectRef<StatusRow>('DetailedStatus').implement({
  description: 'The status of a pipeline in words and as an icon.',
  fields: (t) => ({
    text: t.string({ description: 'The status in one word, such as `Passed`.', resolve: (row) => wordsOf(row)[0] }),
    label: t.string({
      description: 'The status as a phrase, such as `passed with warnings`.',
      resolve: (row) => wordsOf(row)[1],
    }),
    group: t.string({
      description: 'The status as an identifier; successful pipelines with failures that are allowed have their own.',
      resolve: groupOf,
    }),
    icon: t.string({
      description: 'Name of the icon of the status.',
      resolve: (row) => `status_${row.hasWarnings ? 'warning' : row.status}`,
    }),
    tooltip: t.string({ description: 'The status as shown beside its icon.', resolve: (row) => wordsOf(row)[1] }),
    hasDetails: t.boolean({ description: 'Whether there is a page with details.', resolve: () => true }),
    detailsPath: t.exposeString('path', { description: 'Path of the page with details.' }),
  }),
});
