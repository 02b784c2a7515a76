import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const minimum = { priority: 0 };

export const labels: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/labels',
    operation: operations.ProjectLabelsDocument,
    result: 'project.labels',
  },
  {
    method: 'POST',
    path: '/projects/:id/labels',
    operation: operations.CreateLabelDocument,
    result: 'createLabel.label',
    minimum,
  },
  {
    method: 'PUT',
    path: '/projects/:id/labels',
    operation: operations.UpdateLabelDocument,
    result: 'updateLabel.label',
    atLeastOne: ['new_name', 'color', 'description', 'priority'],
    minimum,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/labels',
    operation: operations.DeleteLabelDocument,
    result: 'deleteLabel',
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/labels/:label_id/subscribe',
    operation: operations.SubscribeToLabelDocument,
    result: 'subscribeToLabel.label',
  },
  {
    method: 'POST',
    path: '/projects/:id/labels/:label_id/unsubscribe',
    operation: operations.UnsubscribeFromLabelDocument,
    result: 'unsubscribeFromLabel.label',
  },
];
