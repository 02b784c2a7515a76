import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'administrate';

export const appearance: Route[] = [
  {
    method: 'GET',
    path: '/application/appearance',
    operation: operations.AppearanceOfServerDocument,
    result: 'appearance',
    precheck,
  },
  {
    method: 'PUT',
    path: '/application/appearance',
    ...mutation('UpdateAppearance', 'updateAppearance.appearance', '...AppearanceRecord'),
    file: 'logo',
    moreFiles: ['header_logo', 'favicon', 'pwa_icon'],
    precheck,
  },
];
