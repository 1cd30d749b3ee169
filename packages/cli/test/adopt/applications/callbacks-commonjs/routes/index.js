var express = require('express');
var passport = require('passport');
var Account = require('../models/account');

var router = express.Router();

router.get('/', function (req, res) {
  res.send('<h1>Guestbook</h1>');
});

router.post('/register', function (req, res, next) {
  var account = new Account({ email: req.body.email, nickname: req.body.nickname });
  Account.register(account, req.body.password, function (err, created) {
    if (err) return next(err);
    req.login(created, function (err) {
      if (err) return next(err);
      res.redirect('/me');
    });
  });
});

router.post('/login', passport.authenticate('local'), function (req, res) {
  res.redirect('/me');
});

router.get('/me', function (req, res) {
  if (!req.user) return res.status(401).send({ error: 'log in first' });
  res.send({ email: req.user.email, nickname: req.user.nickname });
});

module.exports = router;
