// The part that writes MathML for screen readers sets an option of a menu that is not loaded here.
if (window.MathJax) MathJax.startup = {
  ready() {
    delete MathJax.config.options.menuOptions;
    MathJax.startup.defaultReady();
  },
};
