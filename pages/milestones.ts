import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import {
  EditGroupMilestonePageDocument,
  type EditGroupMilestonePageQuery,
  EditMilestonePageDocument,
  type EditMilestonePageQuery,
  GroupMilestoneListPageDocument,
  type GroupMilestoneListPageQuery,
  GroupMilestonePageDocument,
  type GroupMilestonePageQuery,
  MilestoneListPageDocument,
  type MilestoneListPageQuery,
  MilestonePageDocument,
  type MilestonePageQuery,
  NewGroupMilestonePageDocument,
  type NewGroupMilestonePageQuery,
  NewMilestonePageDocument,
  type NewMilestonePageQuery,
  SendMilestoneChangeDocument,
  SendMilestoneDeletionDocument,
  SendMilestoneStateDocument,
  SendNewMilestoneDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

type Query<Data> = TypedDocumentNode<Data, never>;

interface Queries {
  list: Query<MilestoneListPageQuery | GroupMilestoneListPageQuery>;
  one: Query<MilestonePageQuery | GroupMilestonePageQuery>;
  create: Query<NewMilestonePageQuery | NewGroupMilestonePageQuery>;
  edit: Query<EditMilestonePageQuery | EditGroupMilestonePageQuery>;
}

/** The milestones of projects and of groups, which are shown and changed alike. */
function milestonesOf(kind: PlaceKind, { list, one, create, edit }: Queries) {
  const at = `${PLACES[kind]}/milestones`;
  const shown = <Place extends { fullPath: string }>(place: Place) => ({
    ...shownIn(kind, place),
    tab: 'issues',
    section: 'milestones',
  });
  const newMilestone = page({
    path: `${at}/new`,
    operation: create,
    view: 'milestones/new',
    found: ({ place }) => (place?.viewerCanManageMilestones ? place : null),
    title: (place, { t }) => `${t('New milestone')} · ${place.fullPath}`,
    show: (place) => ({ ...shown(place), before: {} }),
    signIn: true,
  });
  /** A page about what is done with one milestone, for those who may. */
  const about = (name: 'edit' | 'delete', title: string, right: 'viewerCanUpdate' | 'viewerCanDelete') =>
    page({
      path: `${at}/:iid/${name}`,
      operation: edit,
      view: `milestones/${name}`,
      found: ({ place }) => {
        const milestone = place?.milestones.nodes[0];
        return place && milestone?.[right] ? { place, milestone } : null;
      },
      title: ({ place, milestone }, { t }) => `${t(title, { title: milestone.title })} · ${place.fullPath}`,
      show: ({ place, milestone }) => ({ ...shown(place), milestone, before: milestone }),
      signIn: true,
    });
  const editMilestone = about('edit', label('Edit milestone {title}'), 'viewerCanUpdate');
  const deletion = about('delete', label('Delete milestone {title}'), 'viewerCanDelete');
  const toList = (_data: unknown, { given }: Facts) => inPlace(given, 'milestones');
  const back = (_data: unknown, { given }: Facts) => inPlace(given, 'milestones', String(given.iid));
  return [
    page({
      path: at,
      operation: list,
      view: 'milestones/list',
      found: ({ place }) => place,
      title: (place, { t }) => `${t('Milestones')} · ${place.fullPath}`,
      show: (place, { given }) => ({
        ...shown(place),
        milestones: place.milestones,
        state: String(given.state ?? 'active'),
      }),
    }),
    newMilestone,
    form({
      path: at,
      operation: SendNewMilestoneDocument,
      says: label('The milestone was created.'),
      goTo: ({ createMilestone }, { given }) =>
        inPlace(given, 'milestones', ...(createMilestone ? [createMilestone.milestone.iid] : [])),
      again: newMilestone,
    }),
    page({
      path: `${at}/:iid`,
      operation: one,
      view: 'milestones/show',
      found: ({ place }) => {
        const milestone = place?.milestones.nodes[0];
        return place && milestone && { place, milestone };
      },
      title: ({ place, milestone }) => `${milestone.title} · ${place.fullPath}`,
      show: ({ place, milestone }) => ({ ...shown(place), milestone }),
    }),
    editMilestone,
    form({
      path: `${at}/:iid/edit`,
      operation: SendMilestoneChangeDocument,
      names: { id: 'milestone' },
      required: ['title'],
      says: label('The milestone was saved.'),
      goTo: back,
      again: editMilestone,
    }),
    form({
      path: `${at}/:iid/state`,
      operation: SendMilestoneStateDocument,
      names: { id: 'milestone' },
      required: ['stateEvent'],
      says: (_data, { given }) =>
        String(given.stateEvent).toUpperCase() === 'ACTIVATE'
          ? label('The milestone is open again.')
          : label('The milestone is closed.'),
      goTo: back,
    }),
    deletion,
    form({
      path: `${at}/:iid/delete`,
      operation: SendMilestoneDeletionDocument,
      names: { id: 'milestone' },
      says: label('The milestone was deleted.'),
      goTo: toList,
      asks: deletion,
      again: null,
    }),
  ];
}

export const milestones = [
  ...milestonesOf('project', {
    list: MilestoneListPageDocument,
    one: MilestonePageDocument,
    create: NewMilestonePageDocument,
    edit: EditMilestonePageDocument,
  }),
  ...milestonesOf('group', {
    list: GroupMilestoneListPageDocument,
    one: GroupMilestonePageDocument,
    create: NewGroupMilestonePageDocument,
    edit: EditGroupMilestonePageDocument,
  }),
];
