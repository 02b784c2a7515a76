import { page, type Row } from '#pages/engine/row.ts';
import {
  GroupMilestoneListPageDocument,
  GroupMilestonePageDocument,
  MilestoneListPageDocument,
  MilestonePageDocument,
} from '#src/generated/page_operations.ts';

const stateIn = (given: Readonly<Record<string, unknown>>) => given.state ?? 'active';

/** The milestones of projects and of groups, which are shown alike. */
export const milestones: Row[] = [
  page({
    path: '/:project/-/milestones',
    operation: MilestoneListPageDocument,
    view: 'milestones/list',
    found: ({ project }) => project,
    title: (project) => `Milestones · ${project.fullPath}`,
    show: (project, { given }) => ({ project, milestones: project.milestones, state: stateIn(given), tab: 'issues' }),
  }),
  page({
    path: '/:project/-/milestones/:iid',
    operation: MilestonePageDocument,
    view: 'milestones/show',
    found: ({ project }) => project?.milestones.nodes[0] && { project, milestone: project.milestones.nodes[0] },
    title: ({ project, milestone }) => `${milestone.title} · ${project.fullPath}`,
    show: (found) => ({ ...found, tab: 'issues' }),
  }),
  page({
    path: '/groups/:group/-/milestones',
    operation: GroupMilestoneListPageDocument,
    view: 'milestones/of_group',
    found: ({ group }) => group,
    title: (group) => `Milestones · ${group.fullPath}`,
    show: (group, { given }) => ({ group, milestones: group.milestones, state: stateIn(given), tab: 'milestones' }),
  }),
  page({
    path: '/groups/:group/-/milestones/:iid',
    operation: GroupMilestonePageDocument,
    view: 'milestones/show_of_group',
    found: ({ group }) => group?.milestones.nodes[0] && { group, milestone: group.milestones.nodes[0] },
    title: ({ group, milestone }) => `${milestone.title} · ${group.fullPath}`,
    show: (found) => ({ ...found, tab: 'milestones' }),
  }),
];
