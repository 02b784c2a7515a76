/** The files of Apples, version after version. */

export const README = `# Apples

Grades apples by size, colour and bruises.

    npm install apples
`;

export const README_GRADES = `${README}
## Grades

| grade | diameter | bruises |
| ----- | -------- | ------- |
| A     | 70 mm    | none    |
| B     | 60 mm    | one     |
| C     | any      | any     |
`;

export const LICENSE = `Permission is granted to anybody to use, copy and change these apples for any purpose.
They come without any warranty.
`;

export const packageJson = (version: string) => `{
  "name": "apples",
  "version": "${version}",
  "main": "src/index.js",
  "scripts": { "test": "node test/grade.js" }
}
`;

export const INDEX = `exports.grade = require('./grade');
`;

export const INDEX_BASKET = `exports.grade = require('./grade');
exports.sort = require('./basket');
`;

export const GRADE = `'use strict';

const LIMITS = [
  { grade: 'A', diameter: 70 },
  { grade: 'B', diameter: 60 },
];

module.exports = function grade(apple) {
  const fitting = LIMITS.find((limit) => Math.round(apple.diameter) >= limit.diameter);
  return fitting ? fitting.grade : 'C';
};
`;

export const GRADE_EXACT = GRADE.replace('Math.round(apple.diameter)', 'apple.diameter');

export const GRADE_BRUISES = `'use strict';

const LIMITS = [
  { grade: 'A', diameter: 70, bruises: 0 },
  { grade: 'B', diameter: 60, bruises: 1 },
];

module.exports = function grade({ diameter, bruises = 0 }) {
  const fitting = LIMITS.find((limit) => diameter >= limit.diameter && bruises <= limit.bruises);
  return fitting ? fitting.grade : 'C';
};
`;

export const BASKET = `'use strict';

const grade = require('./grade');

/** Sorts the apples of a basket by their grades. */
module.exports = function sort(basket) {
  const grades = { A: [], B: [], C: [] };
  for (const apple of basket) grades[grade(apple)].push(apple);
  return grades;
};
`;

export const TEST = `'use strict';

const assert = require('assert');
const { grade } = require('..');

assert.equal(grade({ diameter: 75 }), 'A');
assert.equal(grade({ diameter: 65 }), 'B');
assert.equal(grade({ diameter: 40 }), 'C');
`;

export const TEST_EXACT = `${TEST}assert.equal(grade({ diameter: 69.6 }), 'B');
`;

export const PRESS = `'use strict';

/** Litres of cider that a basket makes. */
module.exports = function press(basket) {
  return basket.reduce((sum, apple) => sum + apple.diameter ** 3, 0) / 2e6;
};
`;

export const CONFIG = `image: node:8

stages: [build, test, deploy]

variables:
  NODE_ENV: test

build:
  stage: build
  script: npm install

unit:
  stage: test
  script: npm test
  coverage: '/Coverage: (\\d+)%/'

lint:
  stage: test
  script: npm run lint
  allow_failure: true

staging:
  stage: deploy
  script: ./deploy staging
  environment:
    name: staging
    url: https://staging.example.com
  only: [master]

production:
  stage: deploy
  script: ./deploy production
  environment:
    name: production
    url: https://apples.example.com
  when: manual
  only: [tags]

review:
  stage: deploy
  script: ./deploy review
  environment:
    name: review/$CI_COMMIT_REF_NAME
    url: https://$CI_COMMIT_REF_SLUG.example.com
    on_stop: stop_review
  only: [branches]
  except: [master, stable]

stop_review:
  stage: deploy
  script: ./undeploy review
  environment:
    name: review/$CI_COMMIT_REF_NAME
    action: stop
  when: manual
  only: [branches]
  except: [master, stable]
`;

/** An image of one red pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
