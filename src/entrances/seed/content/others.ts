import { createSnippet, type NewSnippet } from '#src/domain/snippets/save.ts';
import { create, push, tag, update } from '#src/entrances/seed/push.ts';
import type { Scene } from '#src/entrances/seed/stage.ts';

/** The histories of the smaller projects, and snippets. */
export const otherScenes: readonly Scene[] = [
  push({
    at: '2025-01-08 12:00',
    project: 'orchard/old-apples',
    by: 'ada',
    branch: 'master',
    commits: [
      {
        at: '2023-09-01 12:00',
        message: 'Grade apples by hand',
        actions: [create('README.txt', 'Look at the apple. Write down what you see.\n')],
      },
    ],
  }),
  ...website(),
  push({
    at: '2025-01-13 16:00',
    project: 'orchard/tools/pruner',
    by: 'chloe',
    branch: 'main',
    commits: [
      {
        message: 'Say which branches to cut',
        actions: [
          create('README.rst', 'Pruner\n======\n\nSays which branches of a tree to cut.\n'),
          create(
            'pruner/__init__.py',
            'def to_cut(tree, age):\n    """Branches that bear no fruit; of old trees a third at most."""\n' +
              '    barren = [branch for branch in tree if not branch.fruit]\n' +
              '    return barren[: len(tree) // 3] if age > 30 else barren\n',
          ),
          create(
            'setup.py',
            "from setuptools import setup\n\nsetup(name='pruner', version='0.3', packages=['pruner'])\n",
          ),
        ],
      },
    ],
  }),
  tag({ at: '2025-01-14 09:30', project: 'orchard/tools/pruner', by: 'chloe', name: '0.3', target: 'main' }),
  push({
    at: '2025-01-20 15:00',
    project: 'orchard/tools/ci/images',
    by: 'chloe',
    branch: 'main',
    commits: [
      {
        message: 'Build an image for Node.js',
        actions: [create('node/Dockerfile', 'FROM node:8\nRUN npm install --global eslint\n')],
      },
    ],
  }),
  ...ledger(),
  push({
    at: '2025-02-10 18:30',
    project: 'ada/dotfiles',
    by: 'ada',
    branch: 'main',
    commits: [{ message: 'My editor', actions: [create('.vimrc', 'set number\nset expandtab\n')] }],
  }),
  push({
    at: '2025-03-12 21:00',
    project: 'fern/apples',
    by: 'fern',
    branch: 'pears',
    from: 'master',
    commits: [
      {
        message: 'Grade pears',
        actions: [create('src/pear.js', "'use strict';\n\nmodule.exports = (pear) => (pear.ripe ? 'A' : 'C');\n")],
      },
    ],
  }),
  snippet('2025-02-06 10:00', 'ada', {
    title: 'Count the apples of a basket',
    fileName: 'count.js',
    content: 'console.log(basket.length);\n',
    visibility: 'public',
  }),
  snippet('2025-02-07 10:00', 'ben', {
    title: 'Addresses of the growers',
    fileName: 'growers.csv',
    content: 'name,town\nOld Farm,Hereford\nHill House,Taunton\n',
    visibility: 'internal',
  }),
  snippet('2025-02-08 10:00', 'ada', {
    title: 'Draft of a letter',
    fileName: 'letter.txt',
    content: 'Dear growers,\n',
    visibility: 'private',
  }),
  snippet('2025-03-06 10:00', 'chloe', {
    project: 'orchard/apples',
    title: 'Measure how long grading takes',
    fileName: 'measure.sh',
    content: "#!/bin/sh\ntime node -e \"require('apples').sort(require('./basket.json'))\"\n",
    visibility: 'public',
  }),
];

function website(): Scene[] {
  const project = 'orchard/website';
  const page = (text: string) => `<!doctype html>\n<title>Orchard</title>\n<h1>Orchard</h1>\n${text}\n`;
  return [
    push({
      at: '2025-01-07 16:00',
      project,
      by: 'ada',
      branch: 'main',
      commits: [{ message: 'Greet visitors', actions: [create('index.html', page('<p>Good day.</p>'))] }],
    }),
    push({
      at: '2025-02-25 14:00',
      project,
      by: 'ben',
      branch: 'main',
      commits: [
        {
          by: 'devika',
          at: '2025-02-24 12:00',
          message: 'Tell about us',
          actions: [create('about.html', page('<p>We are five, and have apples.</p>'))],
        },
        {
          message: 'Link to it',
          actions: [update('index.html', page('<p>Good day. <a href="about.html">About us</a></p>'))],
        },
      ],
    }),
    push({
      at: '2025-05-26 14:00',
      project,
      by: 'chloe',
      branch: 'new-prices',
      from: 'main',
      commits: [{ message: 'Prices of this year', actions: [create('prices.html', page('<p>A: 3.20, B: 2.10</p>'))] }],
    }),
  ];
}

function ledger(): Scene[] {
  const project = 'harbor/ledger';
  return [
    push({
      at: '2025-01-27 17:00',
      project,
      by: 'ben',
      branch: 'main',
      commits: [
        {
          message: 'Book one amount twice',
          actions: [
            create('go.mod', 'module harbor.example.com/ledger\n\ngo 1.10\n'),
            create(
              'ledger.go',
              '// Package ledger books amounts.\npackage ledger\n\n// Entry moves cents from one account to another.\n' +
                'type Entry struct {\n\tFrom, To string\n\tCents    int64\n}\n',
            ),
          ],
        },
      ],
    }),
    push({
      at: '2025-03-24 17:00',
      project,
      by: 'ada',
      branch: 'tests',
      from: 'main',
      commits: [
        {
          message: 'Test in a pipeline',
          // There is no such stage, so the pipeline fails with an explanation.
          actions: [create('.gitlab-ci.yml', 'test:\n  stage: tests\n  script: go test ./...\n')],
        },
      ],
    }),
  ];
}

function snippet(at: string, by: string, values: NewSnippet): Scene {
  return { at, play: async (stage) => createSnippet(await stage.as(by), values) };
}
