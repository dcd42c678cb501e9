/**
 * Development tools of the JavaScript world that rows can tell. A tool that only reads, checks or builds has a row, too:
 * being listed is what lets `npx` run it where it is not installed. Output folders follow from configuration; what a
 * flag names is named here.
 */
import type { Row } from '../row.ts'
import { FORMATTERS } from './formatters.ts'
import type { Tool } from './vetted.ts'

export const TOOLS: readonly (Row & Tool)[] = [
  // Compilers and bundlers: they write below the output folder of the project.
  {
    names: 'tsc tsgo vue-tsc',
    packages: 'typescript @typescript/native-preview',
    options:
      '-p|--project: --outFile:write --tsBuildInfoFile:write --outDir:into --target|-t: --module|-m: --lib: --rootDir: --declarationDir:into --jsx: --moduleResolution: --types: -b|--build -w|--watch --noEmit --init --incremental',
    why: 'compiles into the output folder of tsconfig.json',
  },
  {
    names: 'vite',
    options: '-c|--config: -m|--mode: --outDir:into --port: --host? -l: --base:',
    why: 'dev server and build',
  },
  {
    names: 'swc spack',
    packages: '@swc/cli',
    options: '-o|--out-file:write -d|--out-dir:into --config-file:',
    why: 'compiler',
  },
  {
    names: 'babel',
    packages: '@babel/cli',
    options: '-o|--out-file:write -d|--out-dir:into --config-file:',
    why: 'compiler',
  },
  {
    names: 'esbuild',
    options: '--outfile:write --outdir:into --format: --platform: --target: --metafile:write',
    why: 'bundler; values are attached',
  },
  {
    names: 'webpack webpack-cli rspack rsbuild',
    packages: '@rspack/cli @rsbuild/core',
    options: '-c|--config: -o|--output-path:into -m|--mode: --env:',
    why: 'bundlers: their configuration is code of the project',
  },
  {
    names: 'rollup',
    options: '-c|--config? -i|--input: -o|--file:write -d|--dir:into -f|--format: -p|--plugin:',
    why: 'bundler',
  },
  { names: 'parcel', options: '--dist-dir:into --target: --port: -p:', why: 'bundler' },
  {
    names: 'tsup tsdown unbuild microbundle pkgroll bunchee ncc preconstruct',
    packages: '@vercel/ncc @preconstruct/cli',
    options: '--out-dir|-d:into --format: --entry: -o|--out:into',
    why: 'library bundlers',
  },
  {
    names: 'tailwindcss tailwind',
    packages: '@tailwindcss/cli',
    options: '-i|--input:read -o|--output:write -c|--config: --content:',
    why: 'style sheets',
  },
  {
    names: 'postcss',
    packages: 'postcss-cli',
    options: '-o|--output:write -d|--dir:into -u|--use: -r|--replace --config: --ext:',
    when: [{ flags: '-r', operands: 'edit…' }],
    why: 'postcss -r replaces its input',
  },
  { names: 'sass lessc stylus', packages: 'less', operands: 'read write', why: 'style sheets' },
  {
    names: 'terser uglifyjs',
    packages: 'uglify-js',
    options: '-o|--output:write -c|--compress? -m|--mangle? --source-map:',
    operands: 'read…',
    why: 'minifiers',
  },
  {
    names: 'svgo',
    options: '-i|--input:edit -o|--output:write -f|--folder:edit/ -r|--recursive --config: -p: --pretty',
    operands: 'edit…',
    when: [{ flags: '-o', operands: 'read…' }],
    why: 'svgo writes over its input without -o',
  },
  // Frameworks: dev servers and builds.
  {
    names:
      'next nuxt nuxi astro remix react-router svelte-kit qwik gatsby docusaurus eleventy vitepress vuepress expo ng nest vue vue-cli-service react-scripts ember solid-start waku redwood storybook start-storybook build-storybook sb tauri electron electron-vite electron-forge electron-builder capacitor cap ionic metro react-native',
    packages:
      '@remix-run/dev @react-router/dev @sveltejs/kit @builder.io/qwik @docusaurus/core @11ty/eleventy @expo/cli @angular/cli @nestjs/cli @vue/cli @vue/cli-service ember-cli @redwoodjs/cli @storybook/cli @tauri-apps/cli @electron-forge/cli @capacitor/cli @ionic/cli @react-native-community/cli',
    why: 'frameworks: serve and build the project',
  },
  // Tests.
  {
    names: 'vitest',
    options:
      '-c|--config: -r|--root: -t|--testNamePattern: --reporter: --outputFile:write --dir: -u|--update --coverage? --project: --pool: --environment:',
    why: 'runs the tests of the project',
  },
  {
    names: 'jest',
    options:
      '-c|--config: -t|--testNamePattern: --outputFile:write --coverageDirectory:into -u|--updateSnapshot -o --rootDir: --reporters: --testPathPattern:',
    why: 'runs the tests of the project',
  },
  {
    names:
      'mocha ava tap uvu jasmine karma qunit lab tape zora japa wtr web-test-runner testcafe nightwatch wdio stryker',
    packages: '@web/test-runner @wdio/cli @stryker-mutator/core',
    why: 'runs the tests of the project',
  },
  { names: 'playwright cypress', packages: '@playwright/test', why: 'browser tests; browsers are kept in a cache' },
  {
    names: 'cucumber-js newman k6 artillery lighthouse lhci pa11y axe backstop loki percy chromatic',
    packages: '@cucumber/cucumber @lhci/cli @axe-core/cli backstopjs @percy/cli',
    why: 'tests of a running site',
  },
  {
    names: 'tsd attw publint api-extractor size-limit bundlesize bundlewatch',
    packages: '@arethetypeswrong/cli @microsoft/api-extractor',
    why: 'checks of a package',
  },
  // Linters and formatters: with a fixing flag they edit what they are given.
  {
    names: 'remark textlint alex cspell write-good htmlhint',
    packages: 'remark-cli',
    options: '-c|--config: -o|--output:write -i|--ignore: -p: -r:',
    why: 'linters of prose',
  },
  {
    names:
      'knip depcheck unimported ts-prune madge dependency-cruiser depcruise skott syncpack manypkg type-coverage jscpd license-checker-rseidelsohn npm-check',
    packages: '@manypkg/cli',
    options: '-c|--config: -o|--output:write --reporter:',
    why: 'reports on the code of the project',
  },
  {
    names: 'commitlint lint-staged husky lefthook simple-git-hooks is-ci-cli cz commitizen git-cz',
    packages: '@commitlint/cli',
    why: 'checks around commits; hooks are read when they run',
  },
  // Generators and servers.
  {
    names:
      'typedoc jsdoc documentation api-documenter redocly spectral swagger-cli openapi-generator-cli graphql-codegen gql-gen buf plop hygen',
    packages:
      '@redocly/cli @stoplight/spectral-cli @openapitools/openapi-generator-cli @graphql-codegen/cli @microsoft/api-documenter @bufbuild/buf',
    options: '-o|--output:into -i|--input: --out:into -c|--config: --options: -d:',
    why: 'write generated files of the project',
  },
  {
    names: 'quicktype json2ts openapi-typescript ts-json-schema-generator',
    packages: 'json-schema-to-typescript',
    options:
      '-o|--output|--out:write -i|--input:read -l|--lang: -s|--src-lang: -p|--path: -t|--type: --src:read --top-level:',
    operands: 'read…',
    why: 'write one generated file',
  },
  {
    names: 'http-server serve live-server json-server ngrok localtunnel browser-sync mkcert wait-on kill-port',
    options: '-p|--port: -l|--listen: -c: -d: -t|--timeout: --host:',
    why: 'local servers',
  },
  {
    names:
      'semver which-cli envinfo npm-why npm-packlist browserslist update-browserslist-db caniuse cowsay-cli tldr-cli degit tiged giget',
    why: 'print facts or fetch a template',
  },
  {
    names: 'ncu npm-check-updates',
    options: '-u|--upgrade -f|--filter: -x|--reject: -t|--target: --packageFile:',
    why: 'prints newer versions; -u edits the manifest, which is read before the next install',
  },
  {
    names:
      'create-vite create-next-app create-react-app create-vue create-astro create-svelte create-remix create-react-router create-t3-app create-expo-app create-nuxt create-docusaurus create-turbo create-hono create-solid create-qwik create-preact create-tauri-app create-playwright create-storybook create-nx-workspace sv express',
    operands: 'create',
    why: 'starters write into a directory of their own',
  },
]

/** All tools that `npx` may fetch. */
export const VETTED: readonly Tool[] = [...TOOLS, ...FORMATTERS]
