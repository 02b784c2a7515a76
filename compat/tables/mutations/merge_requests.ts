import { object } from '#compat/engine/entries.ts';
import { mutation } from '#compat/engine/mutation.ts';
import type { Entries, Given } from '#compat/engine/table.ts';
import { idsOf, iidOf, key, lookUp, pathOf, set, titlesOf } from '#compat/tables/mutations/look_up.ts';

const payload: Entries = { mergeRequest: object('mergeRequest', 'MergeRequest') };

const which = ({ projectPath, iid }: Given) => ({ project: pathOf(projectPath), iid: iidOf(iid) });

/** A change of one merge request. */
const update = (changes: (input: Given) => Record<string, unknown>) =>
  mutation({
    core: 'updateMergeRequest',
    input: (input) => ({ ...which(input), ...changes(input) }),
    payload,
  });

const STATE_EVENTS: Readonly<Record<string, string>> = { OPEN: 'REOPEN', CLOSED: 'CLOSE' };

/** Merge requests. */
export const mergeRequestMutations: Entries = {
  mergeRequestCreate: mutation({
    core: 'createMergeRequest',
    input: ({ projectPath, sourceBranch, targetBranch, title }) => ({
      project: pathOf(projectPath),
      sourceBranch,
      targetBranch,
      title,
    }),
    payload,
  }),
  mergeRequestUpdate: update(({ state }) => set({ stateEvent: state == null ? undefined : STATE_EVENTS[state] })),
  mergeRequestSetDraft: update(({ draft }) => ({ draft })),
  mergeRequestSetAssignees: update(({ assigneeUsernames }) => ({ assigneeUsernames })),
  mergeRequestSetReviewers: update(({ reviewerUsernames }) => ({ reviewerUsernames })),
  mergeRequestSetMilestone: update(({ milestoneId }) => ({ milestoneId: key(milestoneId ?? null) })),
  mergeRequestSetLabels: mutation({
    core: 'updateMergeRequest',
    lookup: lookUp({
      project: ({ projectPath }) => pathOf(projectPath),
      labels: ({ labelIds }) => idsOf(labelIds),
    }),
    input: (input, { project, labels }) => ({ ...which(input), labels: titlesOf(labels, project) }),
    payload,
  }),
  mergeRequestReviewerRereview: mutation({
    core: 'requestReviewAgain',
    input: (input) => ({ ...which(input), userId: key(input.userId) }),
    payload,
  }),
  mergeRequestAccept: mutation({
    core: 'acceptMergeRequest',
    input: (input) => {
      const { sha, squash, squashCommitMessage, shouldRemoveSourceBranch, commitMessage: mergeCommitMessage } = input;
      return {
        ...which(input),
        ...set({ sha, squash, squashCommitMessage, shouldRemoveSourceBranch, mergeCommitMessage }),
      };
    },
    payload,
  }),
};
