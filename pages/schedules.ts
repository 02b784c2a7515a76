import { ciFrame } from '#pages/ci.ts';
import { named } from '#pages/engine/asking.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { inPlace } from '#pages/place.ts';
import {
  EditSchedulePageDocument,
  NewSchedulePageDocument,
  ScheduleListPageDocument,
  SchedulePageDocument,
  SendNewScheduleDocument,
  SendNewScheduleVariableDocument,
  SendScheduleChangeDocument,
  SendScheduleDeletionDocument,
  SendScheduleOwnershipDocument,
  SendSchedulePlayDocument,
  SendScheduleVariableChangeDocument,
  SendScheduleVariableDeletionDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const at = '/:project/-/pipeline_schedules';

/** The branch or tag of a schedule, as people name it. */
const shortRef = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '');

const newSchedule = page({
  path: `${at}/new`,
  operation: NewSchedulePageDocument,
  view: 'schedules/new',
  found: ({ project }) => (project?.viewerCanCreatePipeline ? project : null),
  title: (project, { t }) => `${t('New schedule')} · ${project.fullPath}`,
  show: (project) => ({
    ...ciFrame(project, 'schedules'),
    before: { ref: project.defaultBranch, cronTimezone: 'UTC', isActive: true },
  }),
  signIn: true,
});

const schedule = page({
  path: `${at}/:id`,
  operation: SchedulePageDocument,
  view: 'schedules/show',
  found: ({ project }) => project?.pipelineSchedule && { project, schedule: project.pipelineSchedule },
  title: (found, { t }) => `${found.schedule.description} · ${t('Schedules')} · ${found.project.fullPath}`,
  show: ({ project, schedule: one }) => ({
    ...ciFrame(project, 'schedules'),
    schedule: one,
    ref: shortRef(one.ref),
  }),
});

/** A page about what is done with one schedule, for those who may. */
const about = (name: 'edit' | 'delete', title: string, right: 'viewerCanUpdate' | 'viewerCanDelete') =>
  page({
    path: `${at}/:id/${name}`,
    operation: EditSchedulePageDocument,
    view: `schedules/${name}`,
    found: ({ project }) => {
      const one = project?.pipelineSchedule;
      return project && one?.[right] ? { project, schedule: one } : null;
    },
    title: (found, { t }) => `${t(title, { name: found.schedule.description })} · ${found.project.fullPath}`,
    show: ({ project, schedule: one }) => ({
      ...ciFrame(project, 'schedules'),
      schedule: one,
      before: { ...one, ref: shortRef(one.ref) },
    }),
    signIn: true,
  });

const editSchedule = about('edit', label('Edit {name}'), 'viewerCanUpdate');
const deleteSchedule = about('delete', label('Delete {name}'), 'viewerCanDelete');
const back = (_data: unknown, { given }: Facts) => inPlace(given, 'pipeline_schedules', String(given.id));
const toList = (_data: unknown, { given }: Facts) => inPlace(given, 'pipeline_schedules');

/** Schedules of pipelines. A ref that is not changed is not sent, so that it stays a tag even if a branch has its name. */
export const schedules = [
  page({
    path: at,
    operation: ScheduleListPageDocument,
    view: 'schedules/list',
    found: ({ project }) => project,
    title: (project, { t }) => `${t('Schedules')} · ${project.fullPath}`,
    show: (project, { given }) => ({
      ...ciFrame(project, 'schedules'),
      schedules: project.pipelineSchedules,
      status: given.status ?? 'all',
      shortRef,
    }),
  }),
  newSchedule,
  form({
    path: at,
    operation: SendNewScheduleDocument,
    says: label('The schedule was created.'),
    goTo: ({ createPipelineSchedule }, { given }) =>
      inPlace(given, 'pipeline_schedules', createPipelineSchedule?.pipelineSchedule.databaseId ?? ''),
    again: newSchedule,
  }),
  schedule,
  editSchedule,
  form({
    path: `${at}/:id/edit`,
    operation: SendScheduleChangeDocument,
    says: label('The schedule was saved.'),
    variables: ({ ref, before, ...given }) => ({ ...given, ...(ref === before ? {} : { ref }) }),
    goTo: back,
    again: editSchedule,
  }),
  deleteSchedule,
  form({
    path: `${at}/:id/delete`,
    operation: SendScheduleDeletionDocument,
    says: label('The schedule was deleted.'),
    goTo: toList,
    asks: deleteSchedule,
  }),
  form({
    path: `${at}/:id/take_ownership`,
    operation: SendScheduleOwnershipDocument,
    says: label('The schedule is yours: its pipelines run with your rights.'),
    goTo: back,
    again: schedule,
  }),
  form({
    path: `${at}/:id/play`,
    operation: SendSchedulePlayDocument,
    says: label('The schedule has started this pipeline.'),
    goTo: ({ playPipelineSchedule }, { given }) =>
      inPlace(given, 'pipelines', playPipelineSchedule?.pipeline.databaseId ?? ''),
    again: schedule,
  }),
  form({
    path: `${at}/:id/variables`,
    operation: SendNewScheduleVariableDocument,
    says: label('The variable was added.'),
    goTo: back,
    again: schedule,
  }),
  form({
    path: `${at}/:id/variables/update`,
    operation: SendScheduleVariableChangeDocument,
    required: ['value'],
    says: label('The variable was saved.'),
    goTo: back,
    again: schedule,
  }),
  form({
    path: `${at}/:id/variables/delete`,
    operation: SendScheduleVariableDeletionDocument,
    says: label('The variable was deleted.'),
    asks: (facts) => ({
      heading: facts.t('Delete {name}?', { name: named(facts.given, 'key') }),
      says: [facts.t('Pipelines that the schedule starts no longer get the variable. This cannot be undone.')],
      button: facts.t('Delete variable'),
      back: back(null, facts),
    }),
    goTo: back,
    again: schedule,
  }),
];
